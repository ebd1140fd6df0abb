// Rough populations, and what rows drawn from them are judged by.
#include "spodnet/generate/rough_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/generate/table_problem.hpp"
#include "spodnet/generate/table_truth.hpp"

namespace spodnet::test {
namespace {

Matrix population(std::uint64_t index, std::size_t count = 300) {
  Matrix Theta = 2 * Matrix::Identity(6, 6);
  for (Eigen::Index j = 1; j < 6; ++j) Theta(j, j - 1) = Theta(j - 1, j) = -0.9;
  RandomStream random(8, index);
  return rough_population(Theta, count, random);
}

TEST(RoughRows, ColumnsHaveMeanZeroAndVarianceOne) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Matrix X = population(index);
    ASSERT_TRUE(X.allFinite());
    EXPECT_LT(X.colwise().mean().cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((X.colwise().squaredNorm().array() / 300 - 1).abs().maxCoeff(), 1e-10);
  }
}

TEST(RoughRows, JudgedByTheRowsThatWereNotDrawn) {
  const Matrix X = population(3);
  RandomStream random(9);
  const RoughDraw drawn = draw_rough_rows(X, 40, random);
  ASSERT_EQ(drawn.X.rows(), 40);
  std::set<double> taken(drawn.X.col(0).begin(), drawn.X.col(0).end());
  ASSERT_EQ(taken.size(), 40u);  // every row has noise of its own
  const Vector mean = drawn.X.colwise().mean();
  Matrix Sigma = Matrix::Zero(6, 6), S = Matrix::Zero(6, 6);
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const Vector x = X.row(i).transpose() - mean;
    (taken.contains(X(i, 0)) ? S : Sigma) += x * x.transpose();
  }
  EXPECT_LT((S / 40 - drawn.S).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((Sigma / 260 * drawn.Theta - Matrix::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(RoughRows, AConstantColumnIsUncorrelatedOfVarianceOne) {
  Matrix X = population(4);
  X.col(2).setZero();
  X(0, 2) = 1;  // hardly ever drawn
  RandomStream random(10);
  const RoughDraw drawn = draw_rough_rows(X, 5, random);
  ASSERT_TRUE(drawn.X.col(2).isZero(0));
  EXPECT_EQ(drawn.S.col(2), Vector::Unit(6, 2));
}

TEST(TableProblem, TablesDrawnTogetherShareTheirTruth) {
  const TableMix mix{.p = {4, 30}, .ratio = {2, 2}, .gaussian = 1, .together = 3};
  const MatrixPair a = draw_table_problem(mix, 6), b = draw_table_problem(mix, 8),
                   c = draw_table_problem(mix, 9);
  EXPECT_EQ(a.Theta_true, b.Theta_true);
  EXPECT_NE(a.S, b.S);
  EXPECT_FALSE(c.Theta_true.size() == a.Theta_true.size() && c.Theta_true == a.Theta_true);
}

/// The mean over many tables of tr(Sigma_judged Sigma^{-1}) / p is 1 + 1 / n, and of S 1 - 1 / n.
TEST(TableProblem, VariancesAreJudgedAboutTheMeanOfTheRows) {
  TableMix mix{.p = 5, .ratio = {2, 2}, .gaussian = 1, .together = 2000, .seed = 3};
  Matrix mean = Matrix::Zero(5, 5), Sigma;
  for (std::uint64_t k = 0; k < 2000; ++k) mean += draw_table_problem(mix, k).S / 2000;
  const MatrixPair pair = draw_table_problem(mix, 0);
  ASSERT_TRUE(std::isfinite(spd_inverse(pair.Theta_true, Sigma)));
  EXPECT_NEAR(mean.cwiseProduct(pair.Theta_true).sum() / 5, (1 - 0.1) / (1 + 0.1), 0.02);
}

TEST(TableProblem, DenseOnesAreCorrelationsWithoutZeros) {
  for (const std::size_t p : {2, 7, 40}) {
    RandomStream random(6, p);
    const Matrix Theta = dense_precision(p, random);
    EXPECT_TRUE((Theta.array() != 0).all());
    Matrix R;
    ASSERT_TRUE(std::isfinite(spd_inverse(Theta, R)));
    EXPECT_LT((R.diagonal().array() - 1).abs().maxCoeff(), 1e-8);
  }
}

TEST(TableProblem, RoughOnesAreUsable) {
  const TableMix mix{.p = {2, 40}, .ratio = {0.3, 100}, .dense = 0.4, .rough = 1, .seed = 4};
  for (std::uint64_t k = 0; k < 300; ++k) {
    const MatrixPair pair = draw_table_problem(mix, k);
    ASSERT_TRUE(pair.S.allFinite() && (pair.S.diagonal().array() > 0).all()) << k;
    ASSERT_TRUE(std::isfinite(spd_log_det(pair.Theta_true))) << k;
    ASSERT_GE(pair.n, 2) << k;
  }
}

}  // namespace
}  // namespace spodnet::test
