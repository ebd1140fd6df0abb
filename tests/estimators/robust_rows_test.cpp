// Rows without their tails: what they keep of Gaussian rows, and what far rows do to them.
#include "spodnet/estimators/robust_rows.hpp"

#include <gtest/gtest.h>

#include "spodnet/generate/row_law.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/ranks.hpp"
#include "spodnet/tables/tail_factor.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

Matrix chain_rows(std::size_t n, RowLaw law) {
  Matrix Theta = 2 * Matrix::Identity(8, 8);
  for (Eigen::Index j = 1; j < 8; ++j) Theta(j, j - 1) = Theta(j - 1, j) = -0.8;
  RandomStream random(3);
  return sample_rows(Theta, n, law, random).X;
}

Matrix correlations(const Matrix& X) {
  const Matrix S = empirical_covariance(X);
  const Vector d = S.diagonal().cwiseSqrt().cwiseInverse();
  return d.asDiagonal() * S * d.asDiagonal();
}

TEST(RobustRows, GaussianCorrelationsStay) {
  const Matrix X = chain_rows(20'000, RowLaw::gaussian);
  EXPECT_LT((correlations(robust_rows(X)) - correlations(X)).cwiseAbs().maxCoeff(), 0.03);
}

TEST(RobustRows, ColumnsHaveRobustScales) {
  const Matrix X = chain_rows(300, RowLaw::student), Y = robust_rows(X);
  EXPECT_LT(Y.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  const Vector scale = robust_scale(X);
  for (Eigen::Index j = 0; j < 8; ++j)
    EXPECT_NEAR(Y.col(j).squaredNorm() / 300, scale[j] * scale[j], 1e-10);
}

TEST(RobustRows, TailsAreGone) {
  const Matrix X = chain_rows(400, RowLaw::student);
  EXPECT_GT(tail_factor(X), 1.3);
  EXPECT_LT(tail_factor(robust_rows(X)), 1.05);
}

/// Five rows in a hundred, far away in all directions, hardly move the correlations.
TEST(RobustRows, FarRowsHardlyCount) {
  const Matrix X = chain_rows(400, RowLaw::gaussian);
  Matrix far = X;
  RandomStream random(5);
  for (double& x : far.topRows(20).reshaped()) x = 100 * random.normal();
  EXPECT_GT((correlations(far) - correlations(X)).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LT((correlations(robust_rows(far)) - correlations(X)).cwiseAbs().maxCoeff(), 0.15);
}

TEST(RobustRows, AConstantColumnIsRefused) {
  Matrix X = chain_rows(20, RowLaw::gaussian);
  X.col(1).setOnes();
  expect_error([&] { (void)robust_rows(X); }, {"constant"});
}

}  // namespace
}  // namespace spodnet::test
