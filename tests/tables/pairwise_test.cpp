#include "spodnet/tables/pairwise.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "spodnet/tables/repair.hpp"
#include "support/random_covariance.hpp"
#include "tables/missing_values.hpp"

namespace spodnet::test {
namespace {

/// Pearson's correlation of the rows that have both, from the definition.
double correlation(const Matrix& X, Eigen::Index i, Eigen::Index j) {
  double n = 0, a = 0, b = 0;
  for (Eigen::Index k = 0; k < X.rows(); ++k)
    if (!std::isnan(X(k, i) + X(k, j))) ++n, a += X(k, i), b += X(k, j);
  a /= n, b /= n;
  double aa = 0, bb = 0, ab = 0;
  for (Eigen::Index k = 0; k < X.rows(); ++k)
    if (!std::isnan(X(k, i) + X(k, j))) {
      aa += (X(k, i) - a) * (X(k, i) - a);
      bb += (X(k, j) - b) * (X(k, j) - b);
      ab += (X(k, i) - a) * (X(k, j) - b);
    }
  return ab / std::sqrt(aa * bb);
}

TEST(Pairwise, EveryEntryIsTheCorrelationOfTheRowsThatHaveBoth) {
  Matrix X = with_missing(correlated_samples(40, 6, 1), 0.3, 2);
  X.col(2).array() += 1e6;  // far from the origin
  X.col(3) *= 1e-5;
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  EXPECT_EQ(pairs.R, Matrix(pairs.R.transpose()));
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(pairs.R(i, j), i == j ? 1 : correlation(X, i, j), 1e-9);
      double both = 0;
      for (Eigen::Index k = 0; k < X.rows(); ++k) both += !std::isnan(X(k, i) + X(k, j));
      EXPECT_EQ(pairs.counts(i, j), both);
    }
}

TEST(Pairwise, CompleteSamplesGiveTheCorrelationMatrix) {
  const Matrix X = correlated_samples(25, 5, 3);
  const Matrix S = empirical_covariance(X);
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  for (Eigen::Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(pairs.scale[i], std::sqrt(S(i, i)), 1e-12);
    EXPECT_NEAR(pairs.mean[i], X.col(i).mean(), 1e-12);
    for (Eigen::Index j = 0; j < 5; ++j)
      EXPECT_NEAR(pairs.R(i, j), S(i, j) / std::sqrt(S(i, i) * S(j, j)), 1e-12);
  }
}

/// Complete rows have a shorter way, which weights of 1 do not take.
TEST(Pairwise, WaysOfCompleteAndOfWeightedRowsAgree) {
  Matrix X = correlated_samples(60, 7, 8);
  X.col(4).setConstant(0.1);
  const PairwiseCorrelation a = pairwise_correlation(X);
  const PairwiseCorrelation b = pairwise_correlation(X, Vector::Ones(60));
  EXPECT_LT((a.R - b.R).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((a.scale - b.scale).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.mean, b.mean);
}

TEST(Pairwise, ColumnMomentsAreItsMeansAndScales) {
  Matrix X = with_missing(correlated_samples(40, 6, 9), 0.2, 3);
  X.col(1).setConstant(std::nan(""));
  X.col(2).array() += 1e6;
  Vector weight(40);
  for (Eigen::Index i = 0; i < 40; ++i) weight[i] = double(i % 3);
  for (const Vector& each : {Vector(), weight}) {
    const PairwiseCorrelation pairs = pairwise_correlation(X, each);
    const ColumnMoments columns = column_moments(X, each);
    EXPECT_EQ(columns.mean, pairs.mean);
    EXPECT_LT((columns.scale - pairs.scale).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(columns.scale[1], 0);
  }
}

TEST(Pairwise, ConstantAndEmptyColumnsAreUncorrelated) {
  Matrix X = correlated_samples(12, 4, 4);
  X.col(1).setConstant(0.1);
  X.col(3).setConstant(std::numeric_limits<double>::quiet_NaN());
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  EXPECT_EQ(pairs.scale[1], 0);
  EXPECT_EQ(pairs.scale[3], 0);
  EXPECT_EQ(pairs.counts(3, 3), 0);
  for (const Eigen::Index j : {1, 3})
    for (Eigen::Index i = 0; i < 4; ++i) EXPECT_EQ(pairs.R(i, j), i == j);
}

TEST(Repair, LeavesCorrelationMatricesAlone) {
  for (const Eigen::Index n : {3, 50}) {  // singular, and not
    const Matrix R = pairwise_correlation(correlated_samples(n, 6, 5)).R;
    Matrix same = R;
    EXPECT_FALSE(repair_correlation(same).needed);
    EXPECT_EQ(same, R);
  }
}

TEST(Repair, MakesContradictingCorrelationsPositiveDefinite) {
  Matrix R(3, 3);
  R << 1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1;  // eigenvalue 1 - 2 * 0.9
  Matrix fixed = R;
  const Repair repair = repair_correlation(fixed);
  EXPECT_TRUE(repair.needed);
  EXPECT_NEAR(repair.eig_min, -0.8, 1e-12);
  EXPECT_NEAR(repair.change, (fixed - R).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(fixed, Matrix(fixed.transpose()));
  EXPECT_EQ(fixed.diagonal(), Vector::Ones(3));
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(fixed).eigenvalues()[0], 0);
  EXPECT_GT(fixed(0, 1), 0);
  EXPECT_LT(fixed(0, 2), 0);
}

}  // namespace
}  // namespace spodnet::test
