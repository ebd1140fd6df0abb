#include "spodnet/generate/wishart.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "spodnet/generate/sparse_precision.hpp"

namespace spodnet::test {
namespace {

TEST(ChiSquare, HasItsMoments) {
  RandomStream random(1);
  for (const double degrees : {0.5, 1.0, 2.0, 7.0, 300.0}) {
    double sum = 0, squares = 0;
    constexpr int kDraws = 20000;
    for (int k = 0; k < kDraws; ++k) {
      const double x = sample_chi_square(degrees, random);
      EXPECT_GE(x, 0);
      sum += x, squares += x * x;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    EXPECT_NEAR(mean / degrees, 1, 6 * std::sqrt(2 / degrees / kDraws));
    EXPECT_NEAR(variance / (2 * degrees), 1, 0.15);
  }
}

/// E S = (n-1)/n Sigma and Var S_ij = (n-1)/n^2 (Sigma_ij^2 + Sigma_ii Sigma_jj), by either road.
TEST(SampleCovariance, HasTheMomentsOfTheWishartDistribution) {
  RandomStream random(2);
  const Matrix Theta = make_sparse_precision({.p = 5, .alpha = 0.5}, random);
  const Matrix Sigma = Theta.inverse();
  constexpr int kDraws = 6000;
  for (const std::size_t n : {4, 6, 7, 40}) {
    Matrix sum = Matrix::Zero(5, 5), squares = sum;
    for (int k = 0; k < kDraws; ++k) {
      const Matrix S = sample_covariance(Theta, n, random);
      ASSERT_EQ(S, Matrix(S.transpose()));
      sum += S;
      squares += S.cwiseAbs2();
    }
    const double shrink = double(n - 1) / double(n);
    const Matrix mean = sum / kDraws;
    const Matrix variance = squares / kDraws - mean.cwiseAbs2();
    for (Eigen::Index i = 0; i < 5; ++i)
      for (Eigen::Index j = 0; j < 5; ++j) {
        const double expected =
            shrink / double(n) * (Sigma(i, j) * Sigma(i, j) + Sigma(i, i) * Sigma(j, j));
        EXPECT_NEAR(mean(i, j), shrink * Sigma(i, j), 6 * std::sqrt(expected / kDraws));
        EXPECT_NEAR(variance(i, j) / expected, 1, 0.25);
      }
  }
}

}  // namespace
}  // namespace spodnet::test
