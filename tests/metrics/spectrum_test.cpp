#include "spodnet/metrics/spectrum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/sparse_precision.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

/// Q diag(values) Q^T with a random orthogonal Q.
Matrix with_eigenvalues(const Vector& values, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Eigen::MatrixXd G(values.size(), values.size());
  for (double& g : G.reshaped()) g = random.normal();
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(G).householderQ();
  Matrix A = Q * values.asDiagonal() * Q.transpose();
  symmetrise(A);
  return A;
}

TEST(Spectrum, RecoversPlantedEigenvalues) {
  const Spectrum s = spectrum(with_eigenvalues(Vector{{0.5, 1, 2, 8}}, 1));
  EXPECT_NEAR(s.eig_min, 0.5, 1e-12);
  EXPECT_NEAR(s.eig_max, 8, 1e-12);
  EXPECT_NEAR(s.condition, 16, 1e-10);
  EXPECT_TRUE(s.is_spd);
  EXPECT_EQ(s.rank, 4);
}

TEST(Spectrum, IndefiniteAndSingular) {
  const Spectrum indefinite = spectrum(with_eigenvalues(Vector{{-0.25, 1, 2}}, 2));
  EXPECT_NEAR(indefinite.eig_min, -0.25, 1e-12);
  EXPECT_NEAR(indefinite.condition, 8, 1e-10);
  EXPECT_FALSE(indefinite.is_spd);
  EXPECT_EQ(indefinite.rank, 3);
  const Spectrum singular = spectrum(with_eigenvalues(Vector{{0, 0, 1, 3}}, 3));
  EXPECT_EQ(singular.rank, 2);
  EXPECT_GT(singular.condition, 1e14);
  const Spectrum zero = spectrum(Matrix::Zero(3, 3));
  EXPECT_EQ(zero.rank, 0);
  EXPECT_FALSE(zero.is_spd);
  EXPECT_EQ(zero.condition, INFINITY);
}

TEST(Spectrum, OneByOneAndNotFinite) {
  const Spectrum one = spectrum(Matrix::Constant(1, 1, 4.0));
  EXPECT_EQ(one.eig_min, 4);
  EXPECT_EQ(one.condition, 1);
  EXPECT_TRUE(one.is_spd);
  const Spectrum broken = spectrum(Matrix::Constant(2, 2, NAN));
  EXPECT_TRUE(std::isnan(broken.eig_min) && std::isnan(broken.condition));
  EXPECT_FALSE(broken.is_spd);
  EXPECT_THROW(spectrum(Matrix::Zero(2, 3)), Error);
}

TEST(IsSpd, NeedsSymmetryFinitenessAndCholesky) {
  Matrix A = Matrix::Identity(3, 3);
  EXPECT_TRUE(is_spd(A));
  A(0, 1) = 0.1;
  EXPECT_FALSE(is_spd(A));  // Cholesky reads one triangle and would not notice
  A(1, 0) = 0.1;
  EXPECT_TRUE(is_spd(A));
  A(2, 2) = NAN;
  EXPECT_FALSE(is_spd(A));
  EXPECT_FALSE(is_spd(Matrix::Ones(2, 2) * -1));
  EXPECT_FALSE(is_spd(Matrix(0, 0)));
  EXPECT_TRUE(is_spd(1e-12 * Matrix::Identity(4, 4)));
}

TEST(InverseResidual, IsTheFrobeniusDistanceToTheIdentity) {
  RandomStream random(4, 0);
  const Matrix Theta = make_sparse_precision({.p = 10, .alpha = 0.5}, random);
  Matrix W = Theta.inverse();
  EXPECT_LT(inverse_residual(Theta, W), 1e-12);
  W(3, 4) += 0.5;  // Theta (W + 0.5 e_3 e_4^T) - I = 0.5 Theta e_3 e_4^T
  EXPECT_NEAR(inverse_residual(Theta, W), 0.5 * Theta.col(3).norm(), 1e-10);
  EXPECT_THROW(inverse_residual(Theta, Matrix::Zero(2, 2)), Error);
}

TEST(InverseResidual, IsNotHiddenByRounding) {
  const double one = std::ldexp(1, 60), big = one + std::ldexp(1, 31),
               sum = big + std::ldexp(1, 30);
  Matrix A(2, 2), B(2, 2);  // A B = [2 0; 1 0], but big (1 + 2^-30) rounds to sum
  A << big, -sum, 0, 1;
  B << 1 + std::ldexp(1, -30), 0, 1, 0;
  ASSERT_EQ(A(0, 0) * B(0, 0) - sum, 0);
  EXPECT_DOUBLE_EQ(inverse_residual(A, B), std::sqrt(3));
}

/// Average log density, sample by sample, with the explicit inverse and determinant.
double density_by_definition(const Matrix& X, const Vector& mean, const Matrix& Theta) {
  const Matrix Sigma = Theta.inverse();
  double sum = 0;
  for (Eigen::Index k = 0; k < X.rows(); ++k) {
    const Vector x = X.row(k).transpose() - mean;
    const double norm = std::pow(2 * std::numbers::pi, double(X.cols())) * Sigma.determinant();
    sum += std::log(std::exp(-0.5 * x.dot(Sigma.lu().solve(x))) / std::sqrt(norm));
  }
  return sum / double(X.rows());
}

TEST(LogLikelihood, IsTheMeanLogDensity) {
  RandomStream random(6, 0);
  const Matrix Theta = make_sparse_precision({.p = 5, .alpha = 0.5}, random);
  const Matrix X = sample_gaussian(Theta, 30, random);
  const Vector mean = Vector::LinSpaced(5, -0.2, 0.3);
  EXPECT_NEAR(held_out_log_likelihood(X, mean, Theta), density_by_definition(X, mean, Theta),
              1e-10);
}

TEST(LogLikelihood, LargestAtTheInverseCovariance) {
  RandomStream random(7, 0);
  const Matrix Theta = make_sparse_precision({.p = 6, .alpha = 0.5}, random);
  const Matrix S = empirical_covariance(sample_gaussian(Theta, 100, random));
  const Matrix best = S.inverse();
  for (int trial = 0; trial < 20; ++trial) {
    Matrix other = best;
    const auto i = Eigen::Index(random.below(6)), j = Eigen::Index(random.below(6));
    other(i, j) += 0.05;
    if (i != j) other(j, i) += 0.05;
    EXPECT_LT(log_likelihood(S, other), log_likelihood(S, best));
  }
}

TEST(LogLikelihood, EdgeCases) {
  const double expected = -0.5 * (2 * std::log(2 * std::numbers::pi));
  EXPECT_DOUBLE_EQ(log_likelihood(Matrix::Zero(2, 2), Matrix::Identity(2, 2)), expected);
  EXPECT_EQ(log_likelihood(Matrix::Identity(2, 2), Matrix::Zero(2, 2)), -INFINITY);
  EXPECT_THROW(log_likelihood(Matrix::Identity(2, 2), Matrix::Identity(3, 3)), Error);
}

}  // namespace
}  // namespace spodnet
