#include "spodnet/tables/row_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/moments.hpp"

namespace spodnet::test {
namespace {

Matrix normal_rows(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  return X;
}

TEST(RowBlocks, ClustersAreDrawnWhole) {
  const RowFacts facts{.weight = {}, .cluster = {4, 4, 7, 4, 9, 7}, .covariates = {}};
  const auto blocks = row_blocks(facts, 6);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0], (RowList{0, 1, 3}));
  EXPECT_EQ(blocks[1], (RowList{2, 5}));
  std::set<RowList> seen;
  for (std::uint64_t k = 0; k < 30; ++k) {
    const RowList rows = resampled_rows(blocks, true, 6, RandomStream(1, k));
    const auto count = [&](std::uint32_t row) { return std::count(rows.begin(), rows.end(), row); };
    EXPECT_EQ(count(0), count(3));
    EXPECT_EQ(count(2), count(5));
    EXPECT_EQ(count(0) + count(2) + count(4), 3);
    seen.insert(rows);
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST(RowBlocks, SuccessiveRowsStayTogetherAndTheEndMeetsTheBeginning) {
  const RowFacts facts{.weight = {}, .cluster = {}, .block_length = 3, .covariates = {}};
  const auto blocks = row_blocks(facts, 8);
  ASSERT_EQ(blocks.size(), 8u);
  EXPECT_EQ(blocks[6], (RowList{6, 7, 0}));
  const RowList rows = resampled_rows(blocks, false, 8, RandomStream(3));
  ASSERT_EQ(rows.size(), 8u);
  for (const std::size_t k : {0u, 1u, 3u, 4u, 6u}) EXPECT_EQ(rows[k + 1], (rows[k] + 1) % 8);
}

TEST(RowBlocks, WithoutBlocksRowsAreDrawnOneByOne) {
  RandomStream random(5, 2);
  for (const std::uint32_t row : resampled_rows({}, false, 20, RandomStream(5, 2)))
    EXPECT_EQ(row, random.below(20));
}

TEST(DesignEffect, OfRepeatedRowsIsTheirNumber) {
  const Matrix X = normal_rows(40, 4, 1);
  Matrix tripled(120, 4);
  RowFacts facts;
  for (Eigen::Index i = 0; i < 120; ++i) {
    tripled.row(i) = X.row(i % 40);
    facts.cluster.push_back(std::uint32_t(i % 40));
  }
  EXPECT_NEAR(design_effect(tripled, row_blocks(facts, 120)), 3, 1e-9);
  EXPECT_EQ(design_effect(X, {}), 1);
}

/// Of independent first-order autoregressions the variance of a correlation is
/// (1 + phi^2) / (1 - phi^2) / n (Bartlett's formula).
TEST(DesignEffect, OfATimeSeriesIsBartletts) {
  const double phi = 0.6;
  Matrix X = normal_rows(20000, 3, 2);
  for (Eigen::Index i = 1; i < X.rows(); ++i)
    X.row(i) = phi * X.row(i - 1) + std::sqrt(1 - phi * phi) * X.row(i);
  const RowFacts facts{.weight = {}, .cluster = {}, .block_length = 40, .covariates = {}};
  const double expected = (1 + phi * phi) / (1 - phi * phi);
  EXPECT_NEAR(design_effect(X, row_blocks(facts, 20000)), expected, 0.25);
  EXPECT_NEAR(design_effect(normal_rows(20000, 3, 3), row_blocks(facts, 20000)), 1, 0.12);
}

TEST(AdjustedFor, WhatIsLeftIsUncorrelatedWithTheCovariates) {
  const Matrix C = normal_rows(60, 2, 4);
  Matrix X = normal_rows(60, 3, 5);
  X.col(0) += 2 * C.col(0) - C.col(1);
  X.col(1) = 3 * C.col(1).array() + 7;
  X(4, 2) = std::nan("");
  const Matrix left = adjusted_for(X, C);
  Matrix both(60, 3);
  both << left.col(0), C;
  const Matrix R = moments(both).R;
  EXPECT_NEAR(R(0, 1), 0, 1e-12);
  EXPECT_NEAR(R(0, 2), 0, 1e-12);
  EXPECT_NEAR(left.col(0).mean(), X.col(0).mean(), 1e-12);
  EXPECT_EQ(left.col(1), Vector::Constant(60, left(0, 1)));  // explained wholly
  EXPECT_TRUE(std::isnan(left(4, 2)));
}

/// The partial correlation of two variables given the covariate is that of the residuals.
TEST(AdjustedFor, GivesPartialCorrelations) {
  Matrix X = normal_rows(80, 3, 6);
  X.col(0) += X.col(2);
  X.col(1) -= X.col(2);
  const Matrix R = moments(X).R;
  const double partial =
      (R(0, 1) - R(0, 2) * R(1, 2)) / std::sqrt((1 - R(0, 2) * R(0, 2)) * (1 - R(1, 2) * R(1, 2)));
  const Matrix left = adjusted_for(X.leftCols(2), X.rightCols(1));
  EXPECT_NEAR(moments(left).R(0, 1), partial, 1e-12);
}

TEST(Weights, CountAsRepeatedRows) {
  const Matrix X = normal_rows(30, 3, 7);
  Vector weight(30);
  Matrix repeated(0, 3);
  for (Eigen::Index i = 0; i < 30; ++i) {
    weight[i] = double(1 + i % 3);
    for (int k = 0; k < 1 + i % 3; ++k) {
      repeated.conservativeResize(repeated.rows() + 1, 3);
      repeated.row(repeated.rows() - 1) = X.row(i);
    }
  }
  const Moments found = moments(X, {}, weight), expected = moments(repeated);
  EXPECT_LT((found.R - expected.R).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((found.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((found.scale - expected.scale).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(found.n, 60.0 * 60 / 140, 1e-9);  // (sum w)^2 / sum w^2
}

}  // namespace
}  // namespace spodnet::test
