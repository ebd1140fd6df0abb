// Rows of every law have the covariance that is said of them.
#include "spodnet/generate/row_law.hpp"
#include "spodnet/tables/tail_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/generate/table_problem.hpp"
#include "spodnet/generate/table_truth.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

Matrix chain(Eigen::Index p) {
  Matrix Theta = 2 * Matrix::Identity(p, p);
  for (Eigen::Index j = 1; j < p; ++j) Theta(j, j - 1) = Theta(j - 1, j) = -0.9;
  return Theta;
}

TEST(RowLaw, CovarianceOfManyRows) {
  for (const RowLaw law : all_row_laws()) {
    RandomStream random(5, std::uint64_t(law));
    const TableRows rows = sample_rows(chain(4), 100'000, law, random);
    Matrix Sigma;
    ASSERT_TRUE(std::isfinite(spd_inverse(rows.Theta, Sigma)));
    const Vector d = Sigma.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix difference =
        d.asDiagonal() * (empirical_covariance(rows.X) - Sigma) * d.asDiagonal();
    const bool heavy = law == RowLaw::student || law == RowLaw::uneven || law == RowLaw::dependent;
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), heavy ? 0.35 : 0.05) << to_string(law);
  }
}

TEST(RowLaw, NamesAndTails) {
  for (const RowLaw law : all_row_laws()) EXPECT_EQ(row_law_from(to_string(law)), law);
  expect_error([] { (void)row_law_from("odd"); }, {"odd", "ordinal"});
  RandomStream random(6);
  EXPECT_LT(tail_factor(sample_rows(chain(6), 2000, RowLaw::gaussian, random).X), 1.1);
  Matrix far = sample_rows(chain(6), 2000, RowLaw::gaussian, random).X;
  far.topRows(20) *= 10;
  EXPECT_GT(tail_factor(far), 2);
  EXPECT_EQ(tail_factor(Matrix::Zero(5, 2)), 1);
  EXPECT_EQ(tail_factor(Matrix::Zero(1, 2)), 1);
}

/// One number of every column is far away: all entries of S together hardly feel it, its diagonal
/// does. By the definition, (mean x^4 - 1) / 2 of each column.
TEST(RowLaw, TailsOfSingleNumbers) {
  RandomStream random(7);
  Matrix X = sample_rows(chain(40), 500, RowLaw::gaussian, random).X;
  for (Eigen::Index j = 0; j < 40; ++j) X(7 * j, j) = 10;
  double roots = 0;
  for (Eigen::Index j = 0; j < 40; ++j) {
    const Eigen::ArrayXd x = X.col(j).array() - X.col(j).mean();
    roots += std::pow((x.pow(4).mean() / std::pow(x.square().mean(), 2) - 1) / 2, 0.25) / 40;
  }
  EXPECT_GT(std::pow(roots, 4), 5);
  EXPECT_NEAR(tail_factor(X), std::pow(roots, 4), 1e-9);
  EXPECT_NEAR(tail_factor(100 * X), std::pow(roots, 4), 1e-9);
}

TEST(TableProblem, DependsOnSeedAndIndexAlone) {
  const TableMix mix{.p = {2, 30}, .seed = 4};
  for (std::uint64_t k = 0; k < 60; ++k) {
    const MatrixPair a = draw_table_problem(mix, k), b = draw_table_problem(mix, k);
    EXPECT_EQ(a.S, b.S);
    EXPECT_EQ(a.Theta_true, b.Theta_true);
    EXPECT_GE(a.n, 5.0 / 50);
    EXPECT_EQ(a.Theta_true, a.Theta_true.transpose());
    EXPECT_EQ(Eigen::LLT<Matrix>(a.Theta_true).info(), Eigen::Success) << k;
    EXPECT_GT(a.S.diagonal().minCoeff(), 0) << k;
  }
  EXPECT_NE(draw_table_problem(mix, 0).S.rows() * 1000 + draw_table_problem(mix, 0).n,
            draw_table_problem(mix, 1).S.rows() * 1000 + draw_table_problem(mix, 1).n);
}

TEST(TableProblem, CollinearVariables) {
  RandomStream random(8);
  const Matrix Theta = collinear_precision(chain(12), 1e5, random);
  Matrix Sigma;
  ASSERT_TRUE(std::isfinite(spd_inverse(Theta, Sigma)));
  EXPECT_LT((Sigma.diagonal().array() - 1).abs().maxCoeff(), 1e-6);
  EXPECT_GT(Theta.diagonal().maxCoeff(), 50);
}

}  // namespace
}  // namespace spodnet::test
