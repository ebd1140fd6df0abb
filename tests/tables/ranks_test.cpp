#include "spodnet/tables/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "spodnet/generate/gaussian.hpp"
#include "support/random_covariance.hpp"
#include "tables/missing_values.hpp"

namespace spodnet::test {
namespace {

const double kMissing = std::nan("");

TEST(Ranks, TiesShareTheirMean) {
  const std::vector<double> values = {3, 1, kMissing, 3, 7, 3};
  const std::vector<double> ranks = mid_ranks(values);
  EXPECT_THAT(ranks, testing::ElementsAre(3, 1, testing::IsNan(), 3, 5, 3));
}

/// Tau-b pair by pair.
double tau_by_definition(const std::vector<double>& x, const std::vector<double>& y) {
  double score = 0, in_x = 0, in_y = 0;
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (std::isnan(x[a] + x[b] + y[a] + y[b])) continue;
      const double dx = (x[a] > x[b]) - (x[a] < x[b]), dy = (y[a] > y[b]) - (y[a] < y[b]);
      score += dx * dy, in_x += dx * dx, in_y += dy * dy;
    }
  return in_x * in_y > 0 ? score / std::sqrt(in_x * in_y) : 0;
}

TEST(Kendall, MatchesTheDefinitionWithTiesAndMissingValues) {
  RandomStream random(1);
  for (std::size_t n = 0; n < 60; ++n) {
    std::vector<double> x(n), y(n);
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = double(random.below(1 + n / 2));
      y[k] = x[k] + double(random.below(5));
      if (random.uniform() < 0.1) y[k] = kMissing;
    }
    EXPECT_NEAR(kendall_tau(x, y), tau_by_definition(x, y), 1e-12) << n;
  }
}

TEST(NormalQuantile, InvertsTheDistribution) {
  for (const double u : {1e-300, 1e-12, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-12}) {
    const double x = normal_quantile(u);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2) / u, 1, 1e-10) << u;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(RankCorrelation, RecoversGaussianCorrelationsThroughAnyIncreasingFunctionAndOutliers) {
  Matrix Theta(3, 3);
  Theta << 1, -0.5, 0, -0.5, 1, 0.4, 0, 0.4, 1;
  const Matrix Sigma = Theta.inverse();
  RandomStream random(2);
  Matrix X = sample_gaussian(Theta, 4000, random);
  X.col(0) = X.col(0).array().exp();
  X.col(2) = X.col(2).array().cube();
  for (Eigen::Index i = 0; i < 20; ++i) X(i, 1) = 1e9;
  for (const RankCorrelation kind : {RankCorrelation::spearman, RankCorrelation::kendall}) {
    const Matrix R = gaussian_rank_correlation(X, kind);
    for (Eigen::Index i = 0; i < 3; ++i)
      for (Eigen::Index j = 0; j < 3; ++j)
        EXPECT_NEAR(R(i, j), Sigma(i, j) / std::sqrt(Sigma(i, i) * Sigma(j, j)), 0.05);
    const Matrix gaps = gaussian_rank_correlation(with_missing(X, 0.1, 3), kind);
    EXPECT_LT((R - gaps).cwiseAbs().maxCoeff(), 0.05);
  }
}

TEST(RankCorrelation, SpearmanByDefinition) {
  const Matrix X = correlated_samples(30, 2, 5);
  const std::vector<double> a = mid_ranks(std::vector<double>(X.col(0).begin(), X.col(0).end()));
  const std::vector<double> b = mid_ranks(std::vector<double>(X.col(1).begin(), X.col(1).end()));
  double squares = 0;
  for (std::size_t k = 0; k < 30; ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  const double rho = 1 - 6 * squares / (30.0 * (900 - 1));
  EXPECT_NEAR(gaussian_rank_correlation(X, RankCorrelation::spearman)(0, 1),
              2 * std::sin(std::numbers::pi / 6 * rho), 1e-12);
}

TEST(NormalScores, KeepTheOrderAndTheGaps) {
  Matrix X(4, 1);
  X << 10, kMissing, -3, 5;
  const Matrix scores = normal_scores(X);
  EXPECT_NEAR(scores(0, 0), normal_quantile(2.5 / 3), 1e-14);
  EXPECT_TRUE(std::isnan(scores(1, 0)));
  EXPECT_NEAR(scores(2, 0), normal_quantile(0.5 / 3), 1e-14);
  EXPECT_EQ(scores(3, 0), 0);
}

TEST(RobustScale, IsNotMovedByOutliersAndFallsBack) {
  RandomStream random(3);
  Matrix X(2001, 2);
  for (Eigen::Index i = 0; i < X.rows(); ++i) X(i, 0) = 5 + 2 * random.normal(), X(i, 1) = 0;
  for (Eigen::Index i = 0; i < 100; ++i) X(i, 0) = 1e12, X(i, 1) = 1;
  EXPECT_NEAR(column_medians(X)[0], 5, 0.3);
  EXPECT_NEAR(robust_scale(X)[0], 2, 0.3);
  EXPECT_NEAR(robust_scale(X)[1], std::sqrt(100.0 / 2001 * 1901 / 2001), 1e-12);  // its median is 0
}

}  // namespace
}  // namespace spodnet::test
