#include "spodnet/core/tri_matrix.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

class TriMatrixSizes : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t p = GetParam();
  RandomStream random{p};
};

TEST_P(TriMatrixSizes, AssignReadsTheLowerTriangle) {
  const Matrix A = random_spd(p, random);
  Matrix lower = A;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  EXPECT_EQ(dense(tri_matrix(lower)), A);
  Matrix wide(A.rows(), A.cols() + 3);  // a row stride of its own
  wide.leftCols(A.cols()) = lower;
  TriMatrix strided(p);
  strided.assign(wide.data(), p + 3);
  EXPECT_EQ(dense(strided), A);
  for (std::size_t r = 0; r < p; ++r)  // the stored blocks on the diagonal hold both halves
    for (std::size_t c = r / kBlock * kBlock; c < r; ++c)
      EXPECT_EQ(strided.row(r)[c], strided.row(c)[r]) << r << "," << c;
}

TEST_P(TriMatrixSizes, ColumnsComeAndGo) {
  Matrix A = random_spd(p, random);
  TriMatrix T = tri_matrix(A);
  AlignedVector column(T.ld());
  for (std::size_t i = 0; i < p; ++i) {
    T.get_column(i, column.data());
    for (std::size_t r = 0; r < T.ld(); ++r)
      ASSERT_EQ(column[r], r < p ? A(Eigen::Index(r), Eigen::Index(i)) : 0.0) << r << "," << i;
    for (std::size_t r = 0; r < p; ++r) column[r] = random.normal();
    T.set_column(i, column.data());
    T.add_to_diagonal(i, 2);
    column[i] += 2;
    const Eigen::Map<const Vector> written(column.data(), A.rows());
    A.row(Eigen::Index(i)) = written.transpose();
    A.col(Eigen::Index(i)) = written;
    ASSERT_EQ(dense(T), A) << "column " << i;
  }
}

/// A^{-1} from the rows that invert_spd writes; nothing when it refuses.
std::optional<Matrix> inverse_of(const Matrix& A) {
  const TriMatrix T = tri_matrix(A);
  AlignedVector rows(T.p() * T.ld(), std::nan(""));
  if (!invert_spd(T, rows.data())) return std::nullopt;
  EXPECT_EQ(dense(T), dense(tri_matrix(A)));  // A is as it was
  const Eigen::Map<const Matrix> full(rows.data(), A.rows(), Eigen::Index(T.ld()));
  EXPECT_TRUE((full.rightCols(Eigen::Index(T.ld()) - A.cols()).array() == 0).all());
  return full.leftCols(A.cols()).selfadjointView<Eigen::Upper>();
}

TEST_P(TriMatrixSizes, InverseAgreesWithEigen) {
  const Matrix A = random_spd(p, random);
  const std::optional<Matrix> inverse = inverse_of(A);
  ASSERT_TRUE(inverse);
  EXPECT_LE((*inverse - A.inverse()).norm(), 1e-12 * inverse->norm());
}

/// As accurate as Cholesky, whatever the condition: S + I with S of rank p/2 and large, which is
/// what data in small units gives. (A sweep that multiplies by inverses of its pivot blocks
/// loses twice the digits and breaks down at condition 1e7.)
TEST_P(TriMatrixSizes, InverseOfIllConditionedMatricesIsAsGoodAsByCholesky) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (double scale : {1e3, 1e6, 1e9, 1e12}) {
    const auto n = Eigen::Index(p);
    const Matrix X = random_matrix(n, (n + 1) / 2, random);
    const Matrix A = scale * X * X.transpose() / double(p) + Matrix::Identity(n, n);
    const std::optional<Matrix> inverse = inverse_of(A);
    ASSERT_TRUE(inverse) << scale;
    const Matrix S = dense(tri_matrix(A));
    const Wide truth = Eigen::LLT<Wide>(S.cast<long double>()).solve(Wide::Identity(n, n));
    const Matrix cholesky = Eigen::LLT<Matrix>(S).solve(Matrix::Identity(n, n));
    const double error = double((inverse->cast<long double>() - truth).norm());
    const double usual = double((cholesky.cast<long double>() - truth).norm());
    EXPECT_LE(error, 10 * usual + 1e-14 * double(p)) << scale;
    EXPECT_EQ(Eigen::LLT<Matrix>(*inverse).info(), Eigen::Success) << scale;
  }
}

TEST_P(TriMatrixSizes, WhatIsNotPositiveDefiniteIsToldSo) {
  for (double bad : {-1.0, 0.0, std::nan(""), double(INFINITY)}) {
    Matrix A = random_spd(p, random);
    const auto i = Eigen::Index(random.below(p));
    A.row(i).setZero();
    A.col(i).setZero();
    A(i, i) = bad;
    EXPECT_FALSE(inverse_of(A)) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TriMatrixSizes,
                         testing::Values(1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 40, 41, 64, 100));

}  // namespace
}  // namespace spodnet::test
