#include "spodnet/core/kernels.hpp"
#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

class Mse final : public Loss {
 public:
  std::string name() const override { return "mse"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    return squared_error(Theta, Theta_true, 2 * weight, G).difference;
  }
  std::optional<double> squared_error_unit(const ConstMatrixMap&) const override { return 1; }
};

}  // namespace

LossPtr make_mse() { return std::make_shared<Mse>(); }

ErrorNorms squared_error(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true,
                         double factor, MatrixMap G) {
  ErrorNorms norms;
  for (Eigen::Index r = 0; r < Theta.rows(); ++r) {
    double squares[2];
    const Eigen::Index row = r * Theta.cols();
    kernels().difference(std::size_t(r), factor, Theta.data() + row, Theta_true.data() + row,
                         G.data() + row, squares);
    const double truth = Theta_true(r, r), d = Theta(r, r) - truth;
    G(r, r) = factor * d;
    for (Eigen::Index c = 0; c < r; ++c) G(c, r) = G(r, c);
    norms.difference += d * d + 2 * squares[0];
    norms.truth += truth * truth + 2 * squares[1];
  }
  return norms;
}

}  // namespace spodnet
