// The layer against the plain implementation: outputs and the reversible backward.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "support/engine_calls.hpp"
#include "support/plain_layer.hpp"
#include "support/worse.hpp"

namespace spodnet::test {
namespace {

/// Worst relative errors of one case.
struct Agreement {
  double Theta = 0, W = 0, loss = 0, gradient = 0;
  double zeros = 0, others = 0;  ///< off-diagonal entries of the outputs
};

Agreement compare(const LayerCase& c, std::size_t count) {
  const auto model = random_model(c);
  const PlainNetwork plain(*model);
  const ToyData data(count, c.p, 7);
  Agreement worst;
  for (std::size_t k = 0; k < std::min<std::size_t>(count, 2); ++k) {
    const auto expected = plain.run(data.S[k]);
    const Estimate got = estimate(*model, data.S[k], 50);
    EXPECT_EQ(got.status, Status::ok) << got.message;
    worst.Theta = worse(worst.Theta, (got.Theta - expected.Theta).norm() / expected.Theta.norm());
    worst.zeros += double((got.Theta.array() == 0).count());
    worst.others += double((got.Theta.array() != 0).count()) - double(c.p);
    worst.W = worse(worst.W, (got.W - expected.W).norm() / expected.W.norm());
  }
  std::vector<double> expected, gradient(model->parameters().values.size());
  const double loss = plain.loss_gradient(data.samples, expected);
  ThreadPool pool(1);
  const BatchLoss got = loss_gradient(*model, data.samples, gradient, pool);
  EXPECT_EQ(got.status, Status::ok);
  worst.loss = std::abs(got.loss - loss) / loss;
  worst.gradient = gradient_distance(model->parameters(), expected, gradient);
  return worst;
}

class Oracle : public testing::TestWithParam<std::size_t> {
 protected:
  void check(const LayerCase& c, std::size_t count, double output, double gradient) {
    SCOPED_TRACE(testing::PrintToString(c));
    const Agreement worst = compare(c, count);
    EXPECT_LE(worst.Theta, output);
    EXPECT_LE(worst.W, output);
    EXPECT_LE(worst.loss, output);
    EXPECT_LE(worst.gradient, gradient);
    zeros += worst.zeros;
    others += worst.others;
  }

  double zeros = 0, others = 0;
};

TEST_P(Oracle, EveryModelScalingAndStack) {
  const std::size_t count = GetParam() <= 9 ? 11 : GetParam() < 40 ? 2 : 1;
  for (const LayerCase& c : all_layer_cases({GetParam()})) check(c, count, 1e-11, 1e-7);
  if (GetParam() > 2) {  // both sides of the threshold were seen
    EXPECT_GT(zeros, 0.1 * others);
    EXPECT_GT(others, 0.1 * zeros);
  }
}

/// v = max(v_raw, v_min max(1, q)): floors that are active in some columns and not in others, and
/// without scaling also q > 1.
TEST_P(Oracle, FloorOfTheMarginAndZeta) {
  for (LayerCase c : all_layer_cases({GetParam()})) {
    if (c.tied || c.p > 33) continue;
    c.zeta = 0.3;
    c.v_min = c.layers > 1 ? 1.02 : 0.4;
    check(c, 2, 1e-11, 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Oracle, testing::Values(1, 2, 3, 5, 8, 9, 20, 33, 40, 41, 60));

}  // namespace
}  // namespace spodnet::test
