#include "spodnet/estimators/elliptical_cost.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "estimators/random_matrices.hpp"
#include "support/gradient_check.hpp"

namespace spodnet::test {
namespace {

/// The formula term by term.
double value_from_definition(const EllipticalCost& cost, const Matrix& Sigma) {
  const Matrix Theta = Sigma.inverse();
  const auto n = double(cost.X.rows()), p = double(cost.X.cols());
  double f = 0.5 * std::log(Sigma.determinant());
  for (const auto& x : cost.X.rowwise())
    f += (cost.nu + p) / (2 * n) * std::log(cost.nu + (x * Theta * x.transpose())(0, 0));
  for (Eigen::Index a = 0; a < Sigma.rows(); ++a)
    for (Eigen::Index b = 0; b < Sigma.rows(); ++b)
      if (a != b) f += cost.lambda * cost.eps * std::log(std::cosh(Theta(a, b) / cost.eps));
  return f;
}

class EllipticalCosts : public testing::TestWithParam<double> {};

TEST_P(EllipticalCosts, ValueIsTheDefinition) {
  const EllipticalCost cost{.X = random_matrix(9, 5, 1), .nu = 5, .lambda = 0.7, .eps = GetParam()};
  const Matrix Sigma = random_spd(5, 2);
  EXPECT_NEAR(cost.value(Sigma), value_from_definition(cost, Sigma), 1e-12);
}

TEST_P(EllipticalCosts, GradientMatchesFiniteDifferences) {
  const EllipticalCost cost{.X = random_matrix(9, 5, 1), .nu = 3, .lambda = 0.7, .eps = GetParam()};
  const Matrix Sigma = random_spd(5, 4);
  // f is read off the symmetric part, whose gradient is symmetric: differentiate through it.
  const auto f = [&](std::span<const double> x) {
    const ConstMatrixMap A(x.data(), 5, 5);
    return cost.value(0.5 * (A + A.transpose()));
  };
  const Matrix G = cost.gradient(Sigma);
  EXPECT_EQ(G, Matrix(G.transpose()));
  EXPECT_LT(gradient_error(f, {Sigma.data(), 25}, {G.data(), 25}), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Smoothing, EllipticalCosts, testing::Values(1.0, 0.1, 0.02));

TEST(EllipticalCost, TinySmoothingIsTheAbsoluteValue) {
  EllipticalCost cost{.X = random_matrix(9, 5, 1), .lambda = 2};
  const Matrix Sigma = random_spd(5, 2), Theta = Sigma.inverse();
  const double l1 = Theta.cwiseAbs().sum() - Theta.diagonal().cwiseAbs().sum();
  const double with = cost.value(Sigma);
  cost.lambda = 0;
  EXPECT_NEAR(with - cost.value(Sigma), 2 * l1, 1e-10);
}

TEST(EllipticalCost, IsInfiniteOutsideTheCone) {
  const EllipticalCost cost{.X = random_matrix(9, 3, 1)};
  EXPECT_EQ(cost.value(-Matrix::Identity(3, 3)), INFINITY);
}

}  // namespace
}  // namespace spodnet::test
