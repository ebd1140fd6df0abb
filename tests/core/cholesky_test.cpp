#include "spodnet/core/cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/random.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {
namespace {

Matrix random_spd(Eigen::Index p, double ridge, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(p, p);
  for (double& x : X.reshaped()) x = random.normal();
  const Matrix A = X * X.transpose() / double(p) + ridge * Matrix::Identity(p, p);
  return 0.5 * A + 0.5 * A.transpose();
}

class Cholesky : public EachInstructionSet {};

TEST_P(Cholesky, InvertsAndMeasures) {
  for (Eigen::Index p : {40, 1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 100, 130, 257, 300}) {
    const Matrix A = random_spd(p, 0.1, std::uint64_t(p));
    Matrix inverse;
    const double log_det = spd_inverse(A, inverse);
    EXPECT_EQ(inverse, Matrix(inverse.transpose()));
    EXPECT_LT((A * inverse - Matrix::Identity(p, p)).norm(), 1e-12 * double(p));
    EXPECT_NEAR(inverse_residual(A, inverse), (A * inverse - Matrix::Identity(p, p)).norm(), 1e-12);
    EXPECT_NEAR(log_det, std::log(std::abs(A.fullPivLu().determinant())), 1e-9 * double(p));
    EXPECT_NEAR(log_det, spd_log_det(A), 1e-12 * double(p));
  }
}

TEST_P(Cholesky, SolvesForOneVector) {
  AlignedVector scratch;
  for (Eigen::Index p : {1, 5, 8, 16, 17, 50, 300}) {
    const Matrix A = random_spd(p, 0.1, std::uint64_t(p));
    const Eigen::Index ld = Eigen::Index(padded(std::size_t(p) + 1));
    const Vector c = Vector::LinSpaced(p, -1, 2);
    Matrix A_and_c = Matrix::Zero(p, ld);
    A_and_c.leftCols(p) = A.triangularView<Eigen::Upper>();
    A_and_c.col(p) = c;
    Vector x(ld);
    ASSERT_TRUE(spd_solve(std::size_t(p), A_and_c.data(), x.data(), scratch));
    EXPECT_LT((A * x.head(p) - c).norm(), 1e-11 * double(p));
    A_and_c.setZero();
    EXPECT_FALSE(spd_solve(std::size_t(p), A_and_c.data(), x.data(), scratch));
  }
}

TEST_P(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  Matrix inverse = Matrix::Constant(1, 1, 7);
  for (Eigen::Index p : {1, 2, 20, 70})
    for (const double bad : {-1.0, 0.0, double(NAN), double(INFINITY)}) {
      SCOPED_TRACE(bad);
      Matrix A = random_spd(p, 1, 3);
      A.row(p - 1).setZero();
      A.col(p - 1).setZero();
      A(p - 1, p - 1) = bad;
      EXPECT_EQ(spd_log_det(A), -INFINITY);
      EXPECT_EQ(spd_inverse(A, inverse), -INFINITY);
      EXPECT_EQ(inverse, Matrix::Constant(1, 1, 7));
    }
}

SPODNET_EACH_INSTRUCTION_SET(Cholesky);

}  // namespace
}  // namespace spodnet::test
