#include "spodnet/tables/covariance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/sparse_precision.hpp"

namespace spodnet {
namespace {

Matrix random_samples(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = 3 + random.normal();
  return X;
}

/// S_ij = mean over samples of (x_i - m_i)(x_j - m_j), entry by entry.
double covariance_entry(const Matrix& X, const Vector& mean, Eigen::Index i, Eigen::Index j) {
  double sum = 0;
  for (Eigen::Index k = 0; k < X.rows(); ++k) sum += (X(k, i) - mean[i]) * (X(k, j) - mean[j]);
  return sum / double(X.rows());
}

void expect_entries(const Matrix& S, const Matrix& X, const Vector& mean) {
  EXPECT_EQ(S, Matrix(S.transpose()));
  for (Eigen::Index i = 0; i < X.cols(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      EXPECT_NEAR(S(i, j), covariance_entry(X, mean, i, j), 1e-12);
}

TEST(Covariance, MatchesTheDefinition) {
  for (Eigen::Index n : {1, 2, 3, 40})
    for (Eigen::Index p : {1, 2, 7, 33}) {
      const Matrix X = random_samples(n, p, 5);
      const Vector mean = X.colwise().mean();
      EXPECT_LT((column_means(X) - mean).norm(), 1e-13);
      expect_entries(empirical_covariance(X), X, mean);
      expect_entries(empirical_covariance(X, {.centred = false}), X, Vector::Zero(p));
      const Vector other = Vector::LinSpaced(p, -1, 2);
      expect_entries(covariance_about(X, other), X, other);
    }
}

TEST(Covariance, OneSampleCentredIsZero) {
  EXPECT_TRUE(empirical_covariance(random_samples(1, 5, 1)).isZero(0));
}

TEST(Covariance, ConstantColumnsGiveExactZeros) {
  Matrix X = random_samples(49, 4, 2);
  X.col(1).setConstant(0.1);  // 49 * 0.1 / 49 is not 0.1 in floating point sums
  const Matrix S = empirical_covariance(X);
  EXPECT_TRUE(S.row(1).isZero(0));
  EXPECT_TRUE(S.col(1).isZero(0));
  EXPECT_EQ(column_means(X)[1], 0.1);
}

TEST(Covariance, ALargeMeanDoesNotDrownTheVariance) {
  Matrix X = random_samples(200, 3, 8);
  const Matrix S = empirical_covariance(X);
  X.array() += 0x1.0p20;
  EXPECT_LT((empirical_covariance(X) - S).norm(), 1e-8);
}

TEST(Covariance, RefusesBadSamples) {
  EXPECT_THROW(empirical_covariance(Matrix(0, 3)), Error);
  EXPECT_THROW(empirical_covariance(Matrix(3, 0)), Error);
  EXPECT_THROW(empirical_covariance(Matrix::Constant(2, 2, 1e300), {.centred = false}), Error);
  EXPECT_THROW(covariance_about(random_samples(3, 2, 1), Vector::Zero(3)), Error);
  Matrix X = random_samples(4, 3, 1);
  X(2, 1) = std::nan("");
  try {
    empirical_covariance(X);
    FAIL() << "a NaN was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("X[2,1]"), std::string::npos) << error.what();
  }
}

TEST(CheckSymmetric, AcceptsRoundingRefusesMistakes) {
  Matrix S = empirical_covariance(random_samples(30, 4, 3));
  EXPECT_NO_THROW(check_symmetric(S, "S"));
  S(1, 2) *= 1 + 1e-8;
  EXPECT_NO_THROW(check_symmetric(S, "S"));
  symmetrise(S);
  EXPECT_EQ(S, Matrix(S.transpose()));
  const auto with = [&](Eigen::Index i, Eigen::Index j, double value) {
    Matrix T = S;
    T(i, j) = value;
    return T;
  };
  EXPECT_THROW(check_symmetric(with(0, 1, S(0, 1) + 1e-3), "S"), Error);
  EXPECT_THROW(check_symmetric(with(0, 1, std::nan("")), "S"), Error);
  EXPECT_THROW(check_symmetric(with(2, 2, INFINITY), "S"), Error);
  EXPECT_THROW(check_symmetric(with(2, 2, -1), "S"), Error);
  EXPECT_THROW(check_symmetric(Matrix::Zero(2, 3), "S"), Error);
  EXPECT_THROW(check_symmetric(Matrix(0, 0), "S"), Error);
  EXPECT_NO_THROW(check_symmetric(Matrix::Zero(3, 3), "S"));
  for (double scale : {1e-12, 1e12}) {  // the tolerance is relative
    EXPECT_NO_THROW(check_symmetric(scale * S, "S"));
    EXPECT_THROW(check_symmetric(scale * with(0, 1, S(0, 1) + 1e-3), "S"), Error);
  }
}

TEST(Gaussian, SampleCovarianceConvergesToTheInverse) {
  RandomStream random(21, 0);
  const Matrix Theta = make_sparse_precision({.p = 6, .alpha = 0.5}, random);
  const Matrix W = Theta.inverse();
  const std::size_t n = 200000;
  const Matrix X = sample_gaussian(Theta, n, random);
  const Matrix S = empirical_covariance(X);
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index j = 0; j < 6; ++j) {  // var S_ij = (W_ii W_jj + W_ij^2) / n
      const double deviation = std::sqrt((W(i, i) * W(j, j) + W(i, j) * W(i, j)) / double(n));
      EXPECT_NEAR(S(i, j), W(i, j), 5 * deviation);
    }
  for (Eigen::Index i = 0; i < 6; ++i)
    EXPECT_NEAR(X.col(i).mean(), 0, 5 * std::sqrt(W(i, i) / double(n)));
}

TEST(Gaussian, RowsAreTheDefinitionAndIndependentOfTheirNumber) {
  RandomStream make(4, 0), one(4, 1), two(4, 1), raw(4, 1);
  const Matrix Theta = make_sparse_precision({.p = 5, .alpha = 0.3}, make);
  const Matrix X = sample_gaussian(Theta, 8, one);
  EXPECT_EQ(Matrix(sample_gaussian(Theta, 3, two)), Matrix(X.topRows(3)));
  const Eigen::MatrixXd C = Eigen::LLT<Eigen::MatrixXd>(Theta).matrixL();
  for (Eigen::Index k = 0; k < 8; ++k)
    for (Eigen::Index i = 0; i < 5; ++i)  // z = C^T x
      EXPECT_NEAR((C.transpose() * X.row(k).transpose())[i], raw.normal(), 1e-12);
}

TEST(Gaussian, RefusesWhatIsNotPositiveDefinite) {
  RandomStream random(0, 0);
  EXPECT_THROW(sample_gaussian(-Matrix::Identity(2, 2), 3, random), Error);
  EXPECT_THROW(sample_gaussian(Matrix::Constant(2, 2, std::nan("")), 3, random), Error);
  EXPECT_THROW(sample_gaussian(Matrix::Zero(2, 3), 3, random), Error);
  EXPECT_THROW(sample_gaussian(Matrix::Identity(2, 2), 0, random), Error);
}

}  // namespace
}  // namespace spodnet
