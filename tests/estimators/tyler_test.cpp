// Tyler's scatter matrix: its fixed point from the definition, and what it is for.
#include "spodnet/estimators/tyler.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "spodnet/generate/row_law.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

Matrix chain(Eigen::Index p) {
  Matrix Theta = 2 * Matrix::Identity(p, p);
  for (Eigen::Index j = 1; j < p; ++j) Theta(j, j - 1) = Theta(j - 1, j) = -0.8;
  return Theta;
}

Matrix rows(RowLaw law, std::size_t n, std::uint64_t seed, Matrix* truth = nullptr) {
  RandomStream random(seed);
  TableRows drawn = sample_rows(chain(8), n, law, random);
  if (truth) *truth = drawn.Theta;
  return drawn.X;
}

/// The rows all have weight 1 / (x' V^{-1} x) in V, by a plain loop.
TEST(Tyler, FixedPoint) {
  const Matrix X = rows(RowLaw::student, 100, 1);
  const TylerResult got = tyler(X, {.shrinkage = 0.3});
  ASSERT_EQ(got.status, Status::ok);
  Vector scale(X.cols()), centre(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    Vector column = X.col(j);
    std::sort(column.begin(), column.end());
    centre[j] = (column[49] + column[50]) / 2;
    scale[j] = (X.col(j).array() - centre[j]).abs().mean();
  }
  const Vector inverse = scale.cwiseInverse();
  Matrix V = inverse.asDiagonal() * got.W * inverse.asDiagonal();
  V *= 8 / V.trace();
  Matrix sum = Matrix::Zero(8, 8);
  for (Eigen::Index k = 0; k < X.rows(); ++k) {
    const Vector x = inverse.asDiagonal() * (X.row(k).transpose() - centre);
    sum += x * x.transpose() / x.dot(V.ldlt().solve(x));
  }
  Matrix next = 0.7 * 8 / 100 * sum + 0.3 * Matrix::Identity(8, 8);
  next *= 8 / next.trace();
  EXPECT_LT((next - V).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Tyler, IsTheCovarianceOfManyGaussianRows) {
  Matrix truth;
  const Matrix X = rows(RowLaw::gaussian, 20'000, 2, &truth);
  const TylerResult got = tyler(X);
  EXPECT_LT((got.Theta - truth).norm(), 0.05 * truth.norm());
}

/// A few rows a million times as far out change it little, the covariance beyond recognition.
TEST(Tyler, FarRowsHardlyCount) {
  Matrix X = rows(RowLaw::gaussian, 200, 3);
  const Matrix before = tyler(X).W;
  X.topRows(5) *= 1e6;
  EXPECT_LT((tyler(X).W - before).norm(), 0.2 * before.norm());
}

TEST(Tyler, FewSamplesAndBadInput) {
  const Matrix X = rows(RowLaw::student, 5, 4);
  const TylerResult got = tyler(X);
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  EXPECT_GT(got.shrinkage, 0.05);
  Matrix constant = X;
  constant.col(2).setConstant(4);
  expect_error([&] { (void)tyler(constant); }, {"variable 2", "constant"});
  expect_error([&] { (void)tyler(X.topRows(1)); }, {"two samples"});
  expect_error([&] { (void)tyler(X, {.shrinkage = 2.0}); }, {"shrinkage"});
}

}  // namespace
}  // namespace spodnet::test
