#include "spodnet/train/adam.hpp"

#include <gtest/gtest.h>

#include "spodnet/core/error.hpp"
#include "spodnet/train/clip_gradient.hpp"
#include "spodnet/train/schedule.hpp"

namespace spodnet {
namespace {

// By the definition: m_t and v_t are the weighted sums over all past gradients.
TEST(Adam, MatchesTheClosedFormOfItsMoments) {
  const std::vector<std::vector<double>> gradients = {{1.0, -2.0}, {0.5, 3.0}, {-4.0, 1e-9}};
  std::vector<double> x = {0.3, -0.7}, expected = x;
  AdamState state(2);
  for (std::size_t t = 1; t <= gradients.size(); ++t) {
    adam_step(x, gradients[t - 1], 1e-2, state);
    for (std::size_t k = 0; k < 2; ++k) {
      double m = 0, v = 0;
      for (std::size_t s = 1; s <= t; ++s) {
        const double g = gradients[s - 1][k];
        m += 0.1 * std::pow(0.9, double(t - s)) * g;
        v += 0.001 * std::pow(0.999, double(t - s)) * g * g;
      }
      const double m_hat = m / (1 - std::pow(0.9, double(t)));
      const double v_hat = v / (1 - std::pow(0.999, double(t)));
      expected[k] -= 1e-2 * m_hat / (std::sqrt(v_hat) + 1e-8);
      EXPECT_NEAR(x[k], expected[k], 1e-14);
    }
  }
  EXPECT_EQ(state.step, 3u);
}

TEST(Adam, FirstStepHasTheLengthOfTheLearningRate) {
  std::vector<double> x = {0.0, 0.0};
  AdamState state(2);
  adam_step(x, std::vector<double>{1e-3, -50.0}, 0.1, state);
  EXPECT_NEAR(x[0], -0.1, 1e-5);
  EXPECT_NEAR(x[1], 0.1, 1e-9);
}

TEST(Adam, ZeroGradientStaysPut) {
  std::vector<double> x = {0.25};
  AdamState state(1);
  adam_step(x, std::vector<double>{0.0}, 0.1, state);
  EXPECT_EQ(x[0], 0.25);
}

TEST(ClipGradient, KeepsDirectionAndLimitsTheNorm) {
  std::vector<double> g = {3.0, 4.0};
  EXPECT_DOUBLE_EQ(clip_gradient(g, 0.0), 5.0);
  EXPECT_EQ(g, (std::vector<double>{3.0, 4.0}));
  EXPECT_DOUBLE_EQ(clip_gradient(g, 10.0), 5.0);
  EXPECT_EQ(g, (std::vector<double>{3.0, 4.0}));
  EXPECT_DOUBLE_EQ(clip_gradient(g, 1.0), 5.0);
  EXPECT_DOUBLE_EQ(g[0], 0.6);
  EXPECT_DOUBLE_EQ(g[1], 0.8);
}

TEST(Schedule, CosineGoesFromLrToZero) {
  EXPECT_EQ(learning_rate(Schedule::constant, 0.1, 7, 10), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(Schedule::cosine, 0.1, 0, 10), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(Schedule::cosine, 0.1, 5, 10), 0.05);
  EXPECT_NEAR(learning_rate(Schedule::cosine, 0.1, 10, 10), 0.0, 1e-17);
  EXPECT_EQ(schedule_from("cosine"), Schedule::cosine);
  EXPECT_THROW(schedule_from("linear"), Error);
}

}  // namespace
}  // namespace spodnet
