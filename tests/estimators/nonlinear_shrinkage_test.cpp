// Nonlinear shrinkage against the definition of its density and Hilbert transform by numerical
// integration, and against what it promises.
#include "spodnet/estimators/nonlinear_shrinkage.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <numeric>

#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/nonlinear_spectrum.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

constexpr double kPi = std::numbers::pi;

/// Epanechnikov of variance 1.
double kernel(double t) { return t * t < 5 ? 3 / (4 * std::sqrt(5.0)) * (1 - t * t / 5) : 0; }

/// 1/pi times the principal value of the integral of kernel(t) / (t - x): the singularity is
/// subtracted, its own principal value is a logarithm.
double hilbert_by_integration(double x) {
  const double a = std::sqrt(5.0);
  const int count = 200'000;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double t = -a + 2 * a * (k + 0.5) / count;
    sum += (kernel(t) - kernel(x)) / (t - x) * 2 * a / count;
  }
  const double own = kernel(x) > 0 ? kernel(x) * std::log((a - x) / (a + x)) : 0;
  return (sum + own) / kPi;
}

/// d of eigenvalue k, from the definition.
double shrunk_by_integration(const std::vector<double>& lambda, double n, std::size_t k) {
  const double h = std::pow(n, -1.0 / 3), c = double(lambda.size()) / n;
  double f = 0, H = 0;
  for (const double each : lambda) {
    const double x = (lambda[k] - each) / (h * each);
    f += kernel(x) / (h * each) / double(lambda.size());
    H += hilbert_by_integration(x) / (h * each) / double(lambda.size());
  }
  const double A = kPi * c * lambda[k] * f, B = 1 - c - kPi * c * lambda[k] * H;
  return lambda[k] / (A * A + B * B);
}

TEST(NonlinearShrinkage, EigenvaluesAsDefined) {
  const std::vector<double> lambda = {0.11, 0.13, 0.7, 0.75, 0.8, 2.3, 9.1};
  const NonlinearSpectrum got = nonlinear_spectrum(lambda, 25);
  for (std::size_t k = 0; k < lambda.size(); ++k)
    EXPECT_NEAR(got.d[k], shrunk_by_integration(lambda, 25, k), 1e-4 * got.d[k]) << k;
}

/// Where the closed form of the Hilbert transform cancels out, eigenvalues far apart.
TEST(NonlinearShrinkage, EigenvaluesFarApart) {
  const std::vector<double> lambda = {1e-9, 3e-6, 1e-3, 1, 1e3};
  const NonlinearSpectrum got = nonlinear_spectrum(lambda, 1e5);
  for (std::size_t k = 1; k < lambda.size(); ++k) EXPECT_NEAR(got.d[k] / lambda[k], 1, 2e-3) << k;
}

TEST(NonlinearShrinkage, KeepsTheEigenvectorsAndDrawsEigenvaluesTogether) {
  RandomStream random(3);
  const Matrix S = empirical_covariance(correlated_samples(60, 20, random));
  const ShrinkageResult got = nonlinear_shrinkage(S, 60);
  EXPECT_EQ(got.status, Status::ok);
  EXPECT_LT((S * got.W - got.W * S).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(got.W, got.W.transpose());
  EXPECT_EQ(got.Theta, got.Theta.transpose());
  EXPECT_LT(got.residual, 1e-8);
  EXPECT_GT(got.shrinkage, 0);
}

TEST(NonlinearShrinkage, NearerToTheTruthThanS) {
  double before = 0, after = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomStream random(seed);
    Matrix X(60, 40);
    for (Eigen::Index k = 0; k < X.size(); ++k) X.data()[k] = random.normal();
    const Matrix S = empirical_covariance(X), I = Matrix::Identity(40, 40);
    before += (S - I).norm();
    after += (nonlinear_shrinkage(S, 60).W - I).norm();
  }
  EXPECT_LT(after, 0.5 * before);
}

TEST(NonlinearShrinkage, FewSamplesManySamplesAndBadInput) {
  RandomStream random(4);
  for (const Eigen::Index n : {2, 5, 19, 20, 21, 22}) {
    const Matrix S = empirical_covariance(correlated_samples(n, 20, random));
    const ShrinkageResult got = nonlinear_shrinkage(S, double(n));
    EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success) << n;
  }
  const Matrix S = empirical_covariance(correlated_samples(40, 5, random));
  EXPECT_LT((nonlinear_shrinkage(S, 1e9).W - S).norm(), 1e-3 * S.norm());
  expect_error([&] { (void)nonlinear_shrinkage(S, 1); }, {"two samples"});
  expect_error([&] { (void)nonlinear_shrinkage(Matrix::Zero(2, 2), 5); }, {"zero variance"});
}

/// Two variables that are the same: one eigenvalue is 0 although n > p.
TEST(NonlinearShrinkage, ExactDependence) {
  RandomStream random(5);
  Matrix X = correlated_samples(50, 4, random);
  X.col(1) = X.col(0);
  const ShrinkageResult got = nonlinear_shrinkage(empirical_covariance(X), 50);
  EXPECT_EQ(got.status, Status::not_spd);
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
}

}  // namespace
}  // namespace spodnet::test
