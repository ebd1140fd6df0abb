#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "spodnet/estimators/components.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/glasso_ebic.hpp"
#include "spodnet/estimators/glasso_stars.hpp"
#include "support/admm_glasso.hpp"
#include "support/expect_error.hpp"
#include "support/glasso_conditions.hpp"
#include "support/proximal_glasso.hpp"
#include "support/random_constraints.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

TEST(ConstrainedGlasso, MeetsItsConditionsOnAThousandProblems) {
  int edges = 0, bound = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    SCOPED_TRACE(k);
    const auto [S, lambda, n] = random_glasso_problem(k);
    RandomStream random(41, k);
    const Constraints c = random_constraints(std::size_t(S.rows()), random);
    const GlassoResult r = glasso(S, {.lambda = lambda, .constraints = &c});
    ASSERT_EQ(r.status, Status::ok);
    ASSERT_EQ(broken_rules(c, r.Theta), 0);
    EXPECT_LT(glasso_violation(S, lambda, c, r.Theta), 1e-6);
    EXPECT_LE(r.kkt_residual, 1e-7);
    EXPECT_LE(r.duality_gap, 1e-8);
    EXPECT_GE(r.duality_gap, -1e-10 * (1 + std::abs(r.objective)));
    EXPECT_EQ(r.Theta, Matrix(r.Theta.transpose()));
    EXPECT_EQ(Eigen::LLT<Matrix>(r.Theta).info(), Eigen::Success);
    edges += int(count_edges(r.Theta));
    bound += !c.hold(glasso(S, {.lambda = lambda}).Theta);
  }
  EXPECT_GT(edges, 5000);
  EXPECT_GT(bound, 500);  // in most problems the constraints matter
}

TEST(ConstrainedGlasso, AgreesWithProjectedProximalGradient) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (double share : {0.3, 0.05}) {
      const Eigen::Index p = Eigen::Index(3 + seed % 8);
      const Matrix S = empirical_covariance(correlated_samples(6 * p, p, seed));
      RandomStream random(42, seed);
      const Constraints c = random_constraints(std::size_t(p), random);
      const double lambda = share * glasso_lambda_max(S);
      const GlassoResult r = glasso(S, {.lambda = lambda, .constraints = &c});
      const Matrix Theta = proximal_glasso(S, lambda, c);
      EXPECT_LT((r.Theta - Theta).norm(), 1e-5 * Theta.norm()) << seed << " " << share;
      const Matrix penalty = Matrix::Constant(p, p, lambda);
      EXPECT_NEAR(r.objective, glasso_objective(S, penalty, Theta), 1e-8);
      EXPECT_NEAR(r.objective, glasso_objective(S, penalty, r.Theta), 1e-10);
    }
}

TEST(ConstrainedGlasso, GapBoundsTheDistanceToTheOptimumAtEveryAccuracy) {
  const Matrix S = empirical_covariance(correlated_samples(15, 20, 3));
  RandomStream random(43);
  const Constraints c = random_constraints(20, random);
  const double lambda = 0.05 * glasso_lambda_max(S);
  GlassoOptions options{.lambda = lambda, .constraints = &c, .tolerance = 1e-11};
  const double optimum = glasso(S, options).objective;
  options.tolerance = 1e-8;
  for (options.max_iterations = 1; options.max_iterations < 8; ++options.max_iterations) {
    const GlassoResult r = glasso(S, options);
    EXPECT_GE(r.duality_gap, r.objective - optimum - 1e-10);
    EXPECT_EQ(broken_rules(c, r.Theta), 0);
  }
}

TEST(ConstrainedGlasso, WhatDoesNotBindChangesNothing) {
  for (std::uint64_t k = 0; k < 60; ++k) {
    const auto [S, lambda, n] = random_glasso_problem(k);
    const GlassoResult plain = glasso(S, {.lambda = lambda});
    Constraints c(std::size_t(S.rows()));
    const GlassoResult free = glasso(S, {.lambda = lambda, .constraints = &c});
    EXPECT_EQ(free.Theta, plain.Theta) << k;
    EXPECT_EQ(free.duality_gap, plain.duality_gap) << k;
    for (std::size_t i = 0; i < c.p(); ++i)  // the solution's own signs and zeros
      for (std::size_t j = 0; j < i; ++j) {
        const double theta = plain.Theta(Eigen::Index(i), Eigen::Index(j));
        c.narrow(i, j,
                 theta > 0   ? PairRule::not_positive
                 : theta < 0 ? PairRule::not_negative
                             : PairRule::zero);
      }
    const GlassoResult own = glasso(S, {.lambda = lambda, .constraints = &c});
    EXPECT_EQ(own.status, Status::ok) << k;
    EXPECT_NEAR(own.objective, plain.objective, 2e-8) << k;
  }
}

TEST(ConstrainedGlasso, ForbiddenPairsAreAnInfinitePenalty) {
  const Matrix S = empirical_covariance(correlated_samples(30, 12, 5));
  Constraints c(12);
  Matrix penalty = Matrix::Constant(12, 12, 0.05);
  RandomStream random(44);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (random.below(3) == 0) {
        c.narrow(i, j, PairRule::zero);
        penalty(Eigen::Index(i), Eigen::Index(j)) = penalty(Eigen::Index(j), Eigen::Index(i)) =
            std::numeric_limits<double>::infinity();
      }
  EXPECT_EQ(glasso(S, {.lambda = 0.05, .constraints = &c}).Theta,
            glasso(S, {.penalty = penalty}).Theta);
}

TEST(ConstrainedGlasso, IsSeparatedByForbiddenPairs) {
  const Matrix S = empirical_covariance(correlated_samples(40, 9, 6));
  Constraints c(9);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 4; j < 9; ++j) c.narrow(i, j, PairRule::zero);
  const GlassoResult whole = glasso(S, {.lambda = 1e-3, .constraints = &c});
  EXPECT_GE(whole.components, 2);
  const GlassoResult a = glasso(S.topLeftCorner(4, 4), {.lambda = 1e-3});
  const GlassoResult b = glasso(S.bottomRightCorner(5, 5), {.lambda = 1e-3});
  EXPECT_LT((whole.Theta.topLeftCorner(4, 4) - a.Theta).norm(), 1e-6 * a.Theta.norm());
  EXPECT_LT((whole.Theta.bottomRightCorner(5, 5) - b.Theta).norm(), 1e-6 * b.Theta.norm());
  Constraints negative(9);  // correlations that only a positive partial correlation would explain
  negative.narrow_all(PairRule::not_positive);
  const Matrix positive = S.cwiseAbs();
  EXPECT_EQ(glasso_components(positive, {.lambda = 1e-3, .constraints = &negative}).size(), 9u);
  EXPECT_EQ(glasso_lambda_max(positive, &negative), 0);
  EXPECT_EQ(glasso_lambda_max(positive), glasso_lambda_max(S));
}

TEST(ConstrainedGlasso, WarmStartsOfAnotherProblemDoNotMatter) {
  const Matrix S = empirical_covariance(correlated_samples(25, 15, 7));
  RandomStream random(45);
  const Constraints c = random_constraints(15, random);
  const GlassoResult plain = glasso(S, {.lambda = 0.05});
  const GlassoResult cold = glasso(S, {.lambda = 0.05, .constraints = &c});
  const GlassoResult warm = glasso(
      S, {.lambda = 0.05, .constraints = &c, .Theta_start = &plain.Theta, .W_start = &plain.W});
  EXPECT_EQ(warm.status, Status::ok);
  EXPECT_EQ(broken_rules(c, warm.Theta), 0);
  EXPECT_LT((warm.Theta - cold.Theta).norm(), 1e-6 * cold.Theta.norm());
}

TEST(ConstrainedGlasso, EverySelectionKeepsThem) {
  const Matrix X = correlated_samples(60, 8, 8);
  const Matrix S = empirical_covariance(X);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    RandomStream random(46, seed);
    const Constraints c = random_constraints(8, random);
    const GlassoOptions final{.constraints = &c};
    const auto expect_kept = [&](const GlassoResult& fit, double lambda) {
      EXPECT_EQ(fit.status, Status::ok);
      EXPECT_EQ(broken_rules(c, fit.Theta), 0);
      EXPECT_EQ(fit.Theta, glasso(S, {.lambda = lambda, .constraints = &c}).Theta);
      EXPECT_GT(count_edges(fit.Theta), 0u);
    };
    const GlassoCvResult cv = glasso_cv(X, {.search = {.final = final}});
    expect_kept(cv.fit, cv.lambda);
    EXPECT_EQ(cv.scores.front().lambda, glasso_lambda_max(S, &c));
    const GlassoEbicResult ebic =
        glasso_ebic(S, 60, {.gamma = 0, .search = {.tolerance = 1e-6, .final = final}});
    expect_kept(ebic.fit, ebic.lambda);
    const GlassoStarsResult stars =
        glasso_stars(X, {.search = {.tolerance = 1e-6, .final = final}});
    EXPECT_EQ(broken_rules(c, stars.fit.Theta), 0);
  }
  Constraints none(8);
  none.narrow_all(PairRule::zero);
  EXPECT_EQ(count_edges(glasso_cv(X, {.search = {.final = {.constraints = &none}}}).fit.Theta), 0u);
  Constraints wrong(7);
  expect_error([&] { (void)glasso(S, {.lambda = 0.1, .constraints = &wrong}); },
               {"7 variables", "S has 8"});
}

}  // namespace
}  // namespace spodnet::test
