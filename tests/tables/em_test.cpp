#include "spodnet/tables/em.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "spodnet/generate/gaussian.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "support/random_covariance.hpp"
#include "tables/missing_values.hpp"

namespace spodnet::test {
namespace {

/// Log-likelihood of the observed values, from the marginals' definition.
double observed_log_likelihood(const Matrix& X, const Vector& mean, const Matrix& S) {
  double sum = 0;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    std::vector<Eigen::Index> seen;
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (!std::isnan(X(i, j))) seen.push_back(j);
    if (seen.empty()) continue;
    const Matrix part = S(seen, seen);
    const Vector d = (X.row(i).transpose() - mean)(seen);
    sum -= 0.5 * (std::log(part.determinant()) + d.dot(part.inverse() * d));
  }
  return sum;
}

TEST(Em, CompleteDataGiveTheEmpiricalCovariance) {
  const Matrix X = correlated_samples(30, 5, 1);
  const EmResult em = em_covariance(X);
  EXPECT_EQ(em.status, Status::ok);
  EXPECT_LT((em.S - empirical_covariance(X)).norm(), 1e-12);
  EXPECT_LT((em.mean - column_means(X)).norm(), 1e-12);
}

TEST(Em, StandsAtAMaximumOfTheObservedLikelihood) {
  const Matrix X = with_missing(correlated_samples(120, 5, 2), 0.2, 3);
  const EmResult em = em_covariance(X, {.tolerance = 1e-12});
  ASSERT_EQ(em.status, Status::ok);
  const double best = observed_log_likelihood(X, em.mean, em.S);
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  EXPECT_GT(best,
            observed_log_likelihood(X, pairs.mean,
                                    pairs.scale.asDiagonal() * pairs.R * pairs.scale.asDiagonal()));
  RandomStream random(7);
  for (int trial = 0; trial < 40; ++trial) {  // derivative zero in random directions
    Matrix D(5, 5);
    Vector d(5);
    for (double& x : D.reshaped()) x = random.normal();
    for (double& x : d) x = random.normal();
    D = Matrix(D + D.transpose()) * em.S(0, 0);
    const double h = 1e-4;
    const double up = observed_log_likelihood(X, em.mean + h * d, em.S + h * D);
    const double down = observed_log_likelihood(X, em.mean - h * d, em.S - h * D);
    EXPECT_LT(std::abs(up - down) / (2 * h), 1e-2 * (2 * best - up - down) / (h * h) + 1e-3);
    EXPECT_LT(up + down, 2 * best);
  }
}

/// One variable observed only where another is large: pairwise means are off, EM's are not.
TEST(Em, IsRightWhereMissingDependsOnWhatIsSeen) {
  Matrix Theta(2, 2);
  Theta << 1, -0.8, -0.8, 1;
  RandomStream random(11);
  Matrix X = sample_gaussian(Theta, 4000, random);
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    if (X(i, 0) < 0.5) X(i, 1) = std::nan("");
  const EmResult em = em_covariance(X);
  EXPECT_GT(pairwise_correlation(X).mean[1], 0.9);
  EXPECT_NEAR(em.mean[1], 0, 0.15);
  const Matrix Sigma = Theta.inverse();
  EXPECT_NEAR(em.S(0, 1) / Sigma(0, 1), 1, 0.1);
  EXPECT_NEAR(em.S(1, 1) / Sigma(1, 1), 1, 0.1);
}

TEST(Em, FewRowsStayPositiveSemidefiniteAndFinite) {
  const Matrix X = with_missing(correlated_samples(12, 20, 4), 0.2, 5);
  const EmResult em = em_covariance(X);
  EXPECT_TRUE(em.S.allFinite());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(em.S).eigenvalues()[0], -1e-10);
}

/// Independent variables: plain EM would take its own guesses for correlations.
TEST(Em, FindsNoMoreInNoiseThanThePairsDo) {
  for (const Eigen::Index n : {40, 60, 100}) {
    double em = 0, pairs = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      RandomStream random(seed);
      Matrix X(n, 20);
      for (double& x : X.reshaped()) x = random.normal();
      X = with_missing(std::move(X), 0.15, seed);
      const Matrix S = em_covariance(X).S;
      const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
      em += Matrix(scale.asDiagonal() * S * scale.asDiagonal()).squaredNorm();
      pairs += pairwise_correlation(X).R.squaredNorm();
    }
    EXPECT_LT(em, pairs) << n;
  }
}

TEST(FillMissing, IsTheConditionalExpectation) {
  const Matrix complete = correlated_samples(60, 4, 6);
  const Matrix S = empirical_covariance(complete);
  const Vector mean = column_means(complete);
  Matrix X = complete;
  X(5, 1) = X(5, 3) = std::nan("");
  const Matrix filled = fill_missing(X, mean, S);
  const std::vector<Eigen::Index> m = {1, 3}, o = {0, 2};
  const Vector expected =
      mean(m) + Matrix(S(m, o)) * Matrix(S(o, o)).inverse() * (X.row(5).transpose() - mean)(o);
  EXPECT_NEAR(filled(5, 1), expected[0], 1e-10);
  EXPECT_NEAR(filled(5, 3), expected[1], 1e-10);
  X(5, 1) = filled(5, 1), X(5, 3) = filled(5, 3);
  EXPECT_EQ(X, filled);
}

}  // namespace
}  // namespace spodnet::test
