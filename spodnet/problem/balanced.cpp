#include <cmath>

#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

constexpr double kEdgesOfBalanced = 0.3;  ///< weight of 1 - F1
constexpr double kLeastError = 1e-4;      ///< smaller errors hardly count as better

class Balanced final : public Loss {
 public:
  std::string name() const override { return "balanced"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double unit = Theta_true.squaredNorm();
    const double error = squared_error(Theta, Theta_true, 2 * weight / unit, G).difference / unit;
    G *= 1 / (error + kLeastError);
    return std::log(error + kLeastError) +
           kEdgesOfBalanced * weight *
               add_missed_edges(Theta, Theta_true, kEdgesOfBalanced * weight, G) / weight;
  }
};

}  // namespace

LossPtr make_balanced() { return std::make_shared<Balanced>(); }

}  // namespace spodnet
