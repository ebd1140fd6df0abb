#include "spodnet/estimators/post_treatment.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

Matrix random_symmetric(Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Matrix Z(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) Z(i, j) = Z(j, i) = random.normal();
  return Z;
}

double smallest_eigenvalue(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues()[0];
}

/// P is the projection of Z exactly when P >= 0, P - Z >= 0 and <P, P - Z> = 0.
TEST(ProjectPsd, MeetsTheOptimalityConditions) {
  for (Eigen::Index p : {1, 2, 5, 30})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Matrix Z = random_symmetric(p, seed), P = project_psd(Z), N = P - Z;
      const double tolerance = 1e-12 * Z.norm();
      EXPECT_EQ(P, Matrix(P.transpose()));
      EXPECT_GE(smallest_eigenvalue(P), -tolerance);
      EXPECT_GE(smallest_eigenvalue(N), -tolerance);
      EXPECT_NEAR(P.cwiseProduct(N).sum(), 0, tolerance * Z.norm());
    }
}

TEST(ProjectPsd, LeavesWhatIsPositiveAlone) {
  const Matrix Z = random_symmetric(8, 3);
  const Matrix A = Z * Z.transpose() + Matrix::Identity(8, 8);
  const Matrix symmetric = 0.5 * A + 0.5 * A.transpose();
  EXPECT_EQ(project_psd(symmetric), symmetric);
  EXPECT_LT((project_psd(project_psd(Z)) - project_psd(Z)).norm(), 1e-12);
  EXPECT_TRUE(project_psd(-symmetric).isZero(1e-12));
  EXPECT_TRUE(project_psd(Matrix::Zero(3, 3)).isZero(0));
}

TEST(ProjectPsd, LosesSparsityAndBecomesSingular) {
  Matrix Z(3, 3);  // a path 0 - 1 - 2 too strong to be positive
  Z << 1, 2, 0, 2, 1, 2, 0, 2, 1;
  const Matrix P = project_psd(Z);
  EXPECT_GT(std::abs(P(0, 2)), 0.1);
  EXPECT_NEAR(smallest_eigenvalue(P), 0, 1e-12);
}

TEST(ProjectPsd, RefusesBadInput) {
  EXPECT_THROW(project_psd(Matrix::Zero(2, 3)), Error);
  EXPECT_THROW(project_psd(Matrix(0, 0)), Error);
  EXPECT_THROW(project_psd(Matrix::Constant(2, 2, NAN)), Error);
  Matrix Z = random_symmetric(3, 1);
  Z(0, 1) += 1;
  EXPECT_THROW(project_psd(Z), Error);
}

TEST(ThresholdBySupport, KeepsTheDiagonalAndTheSupport) {
  Matrix Theta = random_symmetric(6, 4), Z = random_symmetric(6, 5);
  Z(0, 1) = Z(1, 0) = Z(4, 2) = Z(2, 4) = Z(3, 3) = 0;
  const Matrix T = threshold_by_support(Theta, Z);
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index j = 0; j < 6; ++j)
      EXPECT_EQ(T(i, j), i == j || Z(i, j) != 0 ? Theta(i, j) : 0.0);
  EXPECT_THROW(threshold_by_support(Theta, Matrix::Zero(3, 3)), Error);
}

TEST(ThresholdBySupport, CanBreakPositiveDefiniteness) {
  const double c = 0.9;
  Matrix Theta(3, 3), Z = Matrix::Ones(3, 3);
  Theta << 1, c, c, c, 1, c, c, c, 1;
  Z(0, 2) = Z(2, 0) = 0;
  EXPECT_GT(smallest_eigenvalue(Theta), 0.09);
  EXPECT_LT(smallest_eigenvalue(threshold_by_support(Theta, Z)), -0.2);
}

}  // namespace
}  // namespace spodnet
