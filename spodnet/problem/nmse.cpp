#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

class Nmse final : public Loss {
 public:
  std::string name() const override { return "nmse"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double unit = Theta_true.squaredNorm();
    return squared_error(Theta, Theta_true, 2 * weight / unit, G).difference / unit;
  }
  std::optional<double> squared_error_unit(const ConstMatrixMap& Theta_true) const override {
    return Theta_true.squaredNorm();
  }
};

}  // namespace

LossPtr make_nmse() { return std::make_shared<Nmse>(); }

}  // namespace spodnet
