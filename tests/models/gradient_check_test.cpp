#include "support/gradient_check.hpp"

#include <gtest/gtest.h>

namespace spodnet::test {
namespace {

double f(std::span<const double> x) { return std::sin(x[0]) * x[1] + x[2] * x[2]; }

std::vector<double> gradient_of_f(const std::vector<double>& x) {
  return {std::cos(x[0]) * x[1], std::sin(x[0]), 2 * x[2]};
}

TEST(GradientCheck, AcceptsTheGradient) {
  const std::vector<double> x = {0.3, 2, -1};
  EXPECT_LT(gradient_error(f, x, gradient_of_f(x)), 1e-8);
}

TEST(GradientCheck, RefusesAWrongEntryHoweverSmall) {
  const std::vector<double> x = {0.3, 2, -1e-4};
  std::vector<double> g = gradient_of_f(x);
  g[2] *= -1;
  EXPECT_GT(gradient_error(f, x, g), 0.1);
  g[2] = std::nan("");
  EXPECT_FALSE(gradient_error(f, x, g) < 1e300);
}

TEST(GradientCheck, RandomDirectionsAloneFindAWrongEntry) {
  const std::vector<double> x = {0.3, 2, -1};
  std::vector<double> g = gradient_of_f(x);
  const GradientCheckOptions options{.directions = 3, .coordinates = false};
  EXPECT_LT(gradient_error(f, x, g, options), 1e-8);
  g[1] *= 1.1;
  EXPECT_GT(gradient_error(f, x, g, options), 1e-3);
}

TEST(GradientCheck, SmallerStepsStayOnOneSideOfAKinkButForgiveNothing) {
  const auto kinked = [](std::span<const double> x) { return std::abs(x[0] - 3e-6); };
  const std::vector<double> x = {0}, g = {-1}, wrong = {-1.001};
  EXPECT_GT(gradient_error(kinked, x, g), 0.5);
  EXPECT_LT(gradient_error(kinked, x, g, {.smaller_steps = 2}), 1e-8);
  EXPECT_GT(gradient_error(kinked, x, wrong, {.smaller_steps = 2}), 9e-4);
}

}  // namespace
}  // namespace spodnet::test
