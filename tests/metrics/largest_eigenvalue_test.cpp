#include "spodnet/metrics/largest_eigenvalue.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

TEST(LargestEigenvalue, EqualsTheDenseDecomposition) {
  for (const Eigen::Index p : {1, 2, 3, 10, 80, 300}) {
    RandomStream random(7, std::uint64_t(p));
    Matrix B(p, p);
    for (double& x : B.reshaped()) x = random.normal();
    for (const Matrix& A : {Matrix(B + B.transpose()), Matrix(B * B.transpose())}) {
      const double expected = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues()[p - 1];
      EXPECT_NEAR(largest_eigenvalue(A), expected, 1e-8 * std::abs(expected)) << p;
    }
  }
}

TEST(LargestEigenvalue, MultipleEigenvaluesAndZero) {
  EXPECT_DOUBLE_EQ(largest_eigenvalue(Matrix::Identity(50, 50)), 1.0);
  EXPECT_EQ(largest_eigenvalue(Matrix::Zero(5, 5)), 0.0);
  EXPECT_NEAR(largest_eigenvalue(Matrix::Ones(60, 60)), 60.0, 1e-10);
}

TEST(LargestEigenvalue, RefusesWhatHasNone) {
  EXPECT_THROW(largest_eigenvalue(Matrix(0, 0)), Error);
  EXPECT_THROW(largest_eigenvalue(Matrix(2, 3)), Error);
  EXPECT_TRUE(std::isnan(largest_eigenvalue(Matrix::Constant(2, 2, NAN))));
}

}  // namespace
}  // namespace spodnet
