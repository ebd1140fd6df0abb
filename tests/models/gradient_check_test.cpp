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

}  // namespace
}  // namespace spodnet::test
