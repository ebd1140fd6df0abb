// A rule made from a built-in one by inheritance is trained as itself, not as its base.
#include <gtest/gtest.h>

#include "spodnet/models/network.hpp"
#include "spodnet/models/ubg.hpp"
#include "support/engine_calls.hpp"
#include "support/gradient_check.hpp"
#include "support/toy_data.hpp"

namespace spodnet {
namespace {

/// UBG with the preactivation pulled towards theta_12 by a learned c.
class PulledRule : public UbgRule {
 public:
  explicit PulledRule(const RuleShape& shape)
      : UbgRule(shape), c_(layout_.add_values("f.pull", {1}, {0.3})) {}

  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const {
    UbgRule::preactivation(prepared, column, z, tape);
    for (std::size_t j = 0; j < column.p; ++j) z[j] += prepared.weights[c_] * column.theta_12[j];
  }
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const {
    for (std::size_t j = 0; j < column.p; ++j) {
      d_weights[c_] += d_z[j] * column.theta_12[j];
      adjoint.d_theta_12[j] += d_z[j] * prepared.weights[c_];
    }
    UbgRule::preactivation_backward(prepared, column, d_z, tape, d_weights, adjoint);  // adds
  }

 private:
  std::size_t c_;
};

TEST(DerivedRule, HasItsOwnLossAndGradient) {
  ModelRegistry models = builtin_models();
  add_rule<PulledRule>(models, "pulled");
  const test::ToyData data(3, 7);
  ThreadPool pool(1);
  const auto ubg = models.make({.model = "ubg", .p = 7});
  const auto model = models.make({.model = "pulled", .p = 7});
  ubg->parameters().initialise(2);
  model->parameters().initialise(2);
  std::vector<double>& weights = model->parameters().values;
  std::copy(ubg->parameters().values.begin(), ubg->parameters().values.end(), weights.begin());
  std::vector<double> gradient(weights.size()), ignored(weights.size());
  const auto loss = [&](std::span<const double> moved) {
    weights.assign(moved.begin(), moved.end());
    return test::loss_gradient(*model, data.samples, ignored, pool).loss;
  };
  const double at_start = test::loss_gradient(*model, data.samples, gradient, pool).loss;
  const std::vector<double> start = weights;
  EXPECT_LT(test::gradient_error(loss, start, gradient, {.step = 1e-6}), 1e-4);
  EXPECT_NE(gradient.back(), 0.0);
  std::vector<double> ubg_gradient(ubg->parameters().values.size());
  const double of_base = test::loss_gradient(*ubg, data.samples, ubg_gradient, pool).loss;
  EXPECT_GT(std::abs(at_start - of_base), 1e-6 * of_base);
}

}  // namespace
}  // namespace spodnet
