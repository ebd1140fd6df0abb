// Sparse plus low rank: the optimality conditions, the graphical lasso as a limit, a certificate
// that holds, and the choice of the penalties.
#include "spodnet/estimators/glasso_latent.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "random_matrices.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/glasso_latent_select.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

constexpr Eigen::Index kP = 12;

/// A chain given two factors; its covariance, or that of 60 samples.
Matrix factor_covariance() {
  Matrix A = 1.25 * Matrix::Identity(kP, kP);
  for (Eigen::Index j = 1; j < kP; ++j) A(j - 1, j) = A(j, j - 1) = -0.5;
  const Matrix Lambda = 0.8 * random_matrix(kP, 2, 3);
  const Matrix Sigma = A.inverse() + Lambda * Lambda.transpose();
  return (Sigma + Sigma.transpose()) / 2;
}

Vector eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

double objective(const Matrix& S, const Matrix& A, const Matrix& L, double lambda, double gamma) {
  const Matrix R = A - L;
  const Eigen::LLT<Matrix> cholesky(R);
  if (cholesky.info() != Eigen::Success) return INFINITY;
  const double log_det = 2 * Matrix(cholesky.matrixL()).diagonal().array().log().sum();
  return S.cwiseProduct(R).sum() - log_det + gamma * L.trace() +
         lambda * (A.cwiseAbs().sum() - A.diagonal().cwiseAbs().sum());
}

TEST(GlassoLatent, MeetsTheOptimalityConditions) {
  const Matrix S = factor_covariance();
  const double lambda = 0.05, gamma = 0.3;
  const GlassoLatentResult fit =
      glasso_latent(S, {.lambda = lambda, .gamma = gamma, .tolerance = 1e-9});
  ASSERT_EQ(fit.status, Status::ok);
  EXPECT_GT(fit.factors, 0);
  EXPECT_LT(fit.factors, int(kP));
  EXPECT_EQ(fit.A, fit.A.transpose());
  EXPECT_EQ(fit.L, fit.L.transpose());
  EXPECT_GT(eigenvalues(fit.L).minCoeff(), -1e-9);
  EXPECT_EQ((eigenvalues(fit.L).array() > 1e-7).count(), fit.factors);
  EXPECT_EQ(Eigen::LLT<Matrix>(fit.A).info(), Eigen::Success);
  const Matrix gradient = S - fit.W;  // in [-lambda, lambda], its eigenvalues below gamma
  EXPECT_LT(eigenvalues(gradient).maxCoeff(), gamma + 1e-3);
  std::size_t zeros = 0;
  for (Eigen::Index i = 0; i < kP; ++i) {
    EXPECT_NEAR(gradient(i, i), 0, 1e-3);
    for (Eigen::Index j = 0; j < i; ++j) {
      zeros += fit.A(i, j) == 0;
      if (fit.A(i, j) == 0) {
        EXPECT_LT(std::abs(gradient(i, j)), lambda + 1e-3);
      }
      if (std::abs(fit.A(i, j)) > 1e-2) {
        EXPECT_NEAR(gradient(i, j), -std::copysign(lambda, fit.A(i, j)), 1e-3);
      }
    }
  }
  EXPECT_GT(zeros, 10u);
  EXPECT_NEAR((gamma * fit.L - gradient * fit.L).norm(), 0, 1e-3);  // complementarity
}

TEST(GlassoLatent, NoPairNearbyIsBetterAndTheBoundHolds) {
  const Matrix S = factor_covariance();
  const GlassoLatentOptions options{.lambda = 0.08, .gamma = 0.4, .tolerance = 1e-7};
  const GlassoLatentResult fit = glasso_latent(S, options);
  const double best = objective(S, fit.A, fit.L, 0.08, 0.4);
  EXPECT_NEAR(best, fit.objective, 1e-10);
  EXPECT_LE(fit.duality_gap, 1e-7 * kP);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const double size = std::pow(10.0, -1 - double(seed % 4));
    const Matrix v = random_matrix(kP, 1, seed);
    const Matrix A = fit.A + size * random_symmetric(kP, seed + 1000);
    const Matrix L = (seed % 2 ? 1.0 - size : 1.0) * fit.L + size * v * v.transpose();
    EXPECT_GE(objective(S, A, L, 0.08, 0.4), best - fit.duality_gap);
  }
}

TEST(GlassoLatent, IsTheGraphicalLassoWhereTheTraceIsDear) {
  const Matrix S = factor_covariance();
  const double lambda = 0.1;
  const GlassoLatentResult fit =
      glasso_latent(S, {.lambda = lambda, .gamma = lambda * kP, .tolerance = 1e-10});
  GlassoOptions plain;
  plain.lambda = lambda;
  const GlassoResult lasso = glasso(S, plain);
  EXPECT_EQ(fit.factors, 0);
  EXPECT_NEAR(fit.objective, lasso.objective, 1e-7);
  EXPECT_LT((fit.Theta - lasso.Theta).norm(), 1e-3);
}

TEST(GlassoLatent, AWarmStartEndsAtTheSameAnswer) {
  const Matrix S = factor_covariance();
  const GlassoLatentResult other = glasso_latent(S, {.lambda = 0.2, .gamma = 0.6});
  GlassoLatentOptions options{.lambda = 0.1, .gamma = 0.3, .tolerance = 1e-9};
  const GlassoLatentResult cold = glasso_latent(S, options);
  options.start = &other;
  EXPECT_NEAR(glasso_latent(S, options).objective, cold.objective, 1e-7);
}

/// The largest of sign * score, times sign.
double largest_score(const GlassoLatentChoice& choice, double sign) {
  double best = -INFINITY;
  for (const GlassoLatentScore& each : choice.scores) best = std::max(best, sign * each.score);
  return sign * best;
}

double score_of_choice(const GlassoLatentChoice& choice) {
  for (const GlassoLatentScore& each : choice.scores)
    if (each.lambda == choice.lambda && each.gamma == choice.gamma) return each.score;
  return NAN;
}

TEST(GlassoLatent, ChoosesFactorsWhereThereAre) {
  RandomStream random(5);
  const Matrix Theta = factor_covariance().inverse();
  const Matrix X = sample_gaussian((Theta + Theta.transpose()) / 2, 400, random);
  const GlassoLatentSearch search{.count = 5, .tolerance = 1e-3};
  const GlassoLatentChoice ebic = glasso_latent_ebic(empirical_covariance(X), 400, 0.5, search);
  EXPECT_GE(ebic.fit.factors, 1);
  EXPECT_EQ(ebic.scores.size(), 20u);
  EXPECT_EQ(score_of_choice(ebic), largest_score(ebic, -1));
  const GlassoLatentChoice cv = glasso_latent_cv(X, 3, search);
  EXPECT_EQ(score_of_choice(cv), largest_score(cv, 1));
}

TEST(GlassoLatent, RefusesWhatItCannotUse) {
  const Matrix S = factor_covariance();
  expect_error([&] { (void)glasso_latent(S, {.lambda = 0}); }, {"glasso-latent", "positive"});
  expect_error([&] { (void)glasso_latent(Matrix::Zero(3, 3)); }, {"variance"});
  expect_error([&] { (void)glasso_latent_ebic(S, 1); }, {"samples"});
  expect_error([&] { (void)glasso_latent_cv(Matrix::Identity(3, 3), 5); }, {"folds"});
}

}  // namespace
}  // namespace spodnet::test
