#include "spodnet/estimators/glasso.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "spodnet/core/random.hpp"
#include "support/admm_glasso.hpp"
#include "support/glasso_conditions.hpp"
#include "support/golden_file.hpp"
#include "support/random_covariance.hpp"

namespace spodnet {
namespace {

using test::admm_glasso;
using test::correlated_samples;
using test::glasso_objective;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix random_covariance(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  return empirical_covariance(correlated_samples(n, p, seed));
}

Matrix constant(const Matrix& S, double lambda) {
  return Matrix::Constant(S.rows(), S.cols(), lambda);
}

/// What every result promises, converged or not.
void expect_sound(const Matrix& S, const GlassoResult& r) {
  EXPECT_EQ(r.Theta, Matrix(r.Theta.transpose()));
  EXPECT_EQ(r.W, Matrix(r.W.transpose()));
  EXPECT_EQ(Eigen::LLT<Matrix>(r.Theta).info(), Eigen::Success);
  EXPECT_NEAR(r.residual, (r.Theta * r.W - Matrix::Identity(S.rows(), S.cols())).norm(),
              1e-14 * r.Theta.norm() * r.W.norm());
  EXPECT_GE(r.duality_gap, -1e-10 * (1 + std::abs(r.objective)));
}

class GlassoGolden : public testing::TestWithParam<const char*> {};

TEST_P(GlassoGolden, AgreesWithScikitLearn) {
  const test::GoldenFile golden(std::string("baselines/") + GetParam() + ".safetensors");
  const Matrix S = golden.matrix("S");
  int cases = 0;
  for (; golden.has("glasso." + std::to_string(cases) + ".lambda"); ++cases) {
    const std::string name = "glasso." + std::to_string(cases);
    const double lambda = golden.number(name + ".lambda");
    const GlassoResult r = glasso(S, {.lambda = lambda});
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_NEAR(r.objective, golden.number(name + ".objective"), 1e-8);
    EXPECT_LT((r.Theta - golden.matrix(name + ".precision")).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT(test::glasso_violation(S, lambda, r.Theta), 1e-6);
    expect_sound(S, r);
  }
  EXPECT_GE(cases, 2);
}

INSTANTIATE_TEST_SUITE_P(Baselines, GlassoGolden, testing::Values("p5_n50", "p20_n100", "p30_n15"));

TEST(Glasso, MeetsItsConditionsOnAThousandProblems) {
  int zeros = 0, edges = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const auto [S, lambda, n] = test::random_glasso_problem(k);
    const GlassoResult r = glasso(S, {.lambda = lambda});
    ASSERT_EQ(r.status, Status::ok) << "problem " << k;
    EXPECT_LT(test::glasso_violation(S, lambda, r.Theta), 1e-6) << "problem " << k;
    EXPECT_LE(r.kkt_residual, 1e-7) << "problem " << k;
    EXPECT_LE(r.duality_gap, 1e-8) << "problem " << k;
    expect_sound(S, r);
    edges += int(count_edges(r.Theta));
    zeros += int(S.rows() * (S.rows() - 1) / 2) - int(count_edges(r.Theta));
  }
  EXPECT_GT(edges, 10000);  // the problems are neither empty nor full
  EXPECT_GT(zeros, 10000);
}

TEST(Glasso, AgreesWithAnUnrelatedAlgorithm) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (double share : {0.5, 0.1, 0.02}) {
      const Eigen::Index p = Eigen::Index(2 + seed % 12), n = seed % 2 == 0 ? 5 * p : p + 1;
      const Matrix S = random_covariance(n, p, seed);
      const double lambda = share * glasso_lambda_max(S);
      const GlassoResult r = glasso(S, {.lambda = lambda});
      const Matrix Theta = admm_glasso(S, constant(S, lambda));
      EXPECT_LT((r.Theta - Theta).norm(), 1e-5 * Theta.norm()) << seed << " " << share;
      EXPECT_NEAR(r.objective, glasso_objective(S, constant(S, lambda), Theta), 1e-8);
      EXPECT_NEAR(r.objective, glasso_objective(S, constant(S, lambda), r.Theta), 1e-10);
    }
}

TEST(Glasso, GapBoundsTheDistanceToTheOptimumAtEveryAccuracy) {
  const Matrix S = random_covariance(15, 20, 3);
  const double lambda = 0.1 * glasso_lambda_max(S);
  const double optimum = glasso(S, {.lambda = lambda, .tolerance = 1e-11}).objective;
  for (int iterations = 1; iterations < 12; ++iterations) {
    const GlassoResult r = glasso(S, {.lambda = lambda, .max_iterations = iterations});
    expect_sound(S, r);
    EXPECT_GE(r.duality_gap, r.objective - optimum - 1e-10);
    EXPECT_EQ(r.status == Status::ok, r.duality_gap <= 1e-8 && r.kkt_residual <= 1e-7);
  }
  const GlassoResult loose =
      glasso(S, {.lambda = lambda, .tolerance = 1e-4, .kkt_tolerance = kInfinity});
  EXPECT_EQ(loose.status, Status::ok);
  EXPECT_LE(loose.duality_gap, 1e-4);
  EXPECT_LE(loose.objective - optimum, 1e-4);
}

TEST(Glasso, HasClosedFormsAtTheEnds) {
  const Matrix S = random_covariance(50, 8, 4);
  const double lambda_max = glasso_lambda_max(S);
  for (double factor : {1.0, 2.0}) {
    const GlassoResult r = glasso(S, {.lambda = factor * lambda_max});
    EXPECT_EQ(r.Theta, Matrix(S.diagonal().cwiseInverse().asDiagonal()));
    EXPECT_EQ(r.components, 8);
    EXPECT_EQ(r.kkt_residual, 0);
  }
  EXPECT_GT(count_edges(glasso(S, {.lambda = 0.999 * lambda_max}).Theta), 0u);
  const GlassoResult none = glasso(S, {.lambda = 0});
  EXPECT_EQ(none.status, Status::ok);
  EXPECT_LT((none.Theta - S.inverse()).norm(), 1e-8 * none.Theta.norm());

  const GlassoResult one = glasso(Matrix::Constant(1, 1, 4.0), {.lambda = 1});
  EXPECT_EQ(one.Theta(0, 0), 0.25);
  EXPECT_NEAR(one.objective, std::log(4.0) + 1, 1e-15);
  Matrix two(2, 2);  // W_12 = S_12 - lambda
  two << 2, 1.5, 1.5, 3;
  Matrix W = two;
  W(0, 1) = W(1, 0) = 1;
  EXPECT_LT((glasso(two, {.lambda = 0.5}).Theta - W.inverse()).norm(), 1e-9);
}

TEST(Glasso, FollowsUnitsOfMeasure) {
  const Matrix S = random_covariance(10, 12, 5);
  const double lambda = 0.2 * glasso_lambda_max(S);
  const GlassoResult r = glasso(S, {.lambda = lambda});
  for (double unit : {1e-6, 1e6}) {
    const GlassoResult other = glasso(unit * unit * S, {.lambda = unit * unit * lambda});
    EXPECT_EQ(other.status, Status::ok);
    EXPECT_LT((other.Theta * unit * unit - r.Theta).norm(), 1e-6 * r.Theta.norm());
  }
}

TEST(Glasso, AcceptsAPenaltyPerEntry) {
  RandomStream random(6);
  const Matrix S = random_covariance(40, 10, 6);
  Matrix penalty = constant(S, 0.1);
  for (Eigen::Index i = 0; i < 10; ++i)
    for (Eigen::Index j = 0; j < i; ++j) penalty(i, j) = penalty(j, i) = random.uniform(0, 0.3);
  penalty(2, 7) = penalty(7, 2) = kInfinity;
  penalty(3, 4) = penalty(4, 3) = 0;
  const GlassoResult r = glasso(S, {.penalty = penalty});
  EXPECT_EQ(r.status, Status::ok);
  expect_sound(S, r);
  EXPECT_EQ(r.Theta(2, 7), 0);
  EXPECT_NEAR(r.W(3, 4), S(3, 4), 1e-7);  // not penalised: fitted exactly
  Matrix finite = penalty;
  finite(2, 7) = finite(7, 2) = 1e6;
  EXPECT_LT((r.Theta - admm_glasso(S, finite)).norm(), 1e-5 * r.Theta.norm());

  // Infinity everywhere but on a tree leaves a tree; warm starts must respect it too.
  Matrix tree = constant(S, kInfinity);
  for (Eigen::Index i = 0; i < 10; ++i) tree(i, i) = 0;
  for (Eigen::Index i = 1; i < 10; ++i) tree(i, i / 2) = tree(i / 2, i) = 0;
  const GlassoResult warm = glasso(S, {.penalty = tree, .Theta_start = &r.Theta});
  EXPECT_EQ(warm.status, Status::ok);
  EXPECT_EQ(count_edges(warm.Theta), 9u);
  for (Eigen::Index i = 1; i < 10; ++i) EXPECT_NEAR(warm.W(i, i / 2), S(i, i / 2), 1e-7);
}

TEST(Glasso, KnownEdgesMayGoFreeOfPenaltyWhenSIsSingular) {
  const Matrix S = random_covariance(6, 12, 7);
  Matrix penalty = constant(S, 0.2 * glasso_lambda_max(S));
  for (Eigen::Index i = 1; i < 12; ++i) penalty(i, i - 1) = penalty(i - 1, i) = 0;
  const GlassoResult r = glasso(S, {.penalty = penalty});
  EXPECT_EQ(r.status, Status::ok);
  expect_sound(S, r);
  EXPECT_LT((r.Theta - admm_glasso(S, penalty)).norm(), 1e-4 * r.Theta.norm());
}

TEST(Glasso, PenalisesTheDiagonalOnRequest) {
  const Matrix S = random_covariance(6, 9, 8);
  const GlassoResult r = glasso(S, {.lambda = 0.3, .penalize_diagonal = true});
  const Matrix shifted = S + 0.3 * Matrix::Identity(9, 9);
  EXPECT_EQ(r.Theta, glasso(shifted, {.lambda = 0.3}).Theta);
  EXPECT_LT((r.W.diagonal() - shifted.diagonal()).norm(), 1e-6);
}

TEST(Glasso, NeverThrowsOnUnfortunateNumbers) {
  const Matrix singular = random_covariance(4, 10, 9);
  const GlassoResult unbounded = glasso(singular, {.lambda = 0});
  EXPECT_NE(unbounded.status, Status::ok);
  EXPECT_TRUE(unbounded.Theta.allFinite());

  Matrix indefinite = Matrix::Identity(3, 3);  // correlations of -0.9 all round do not exist
  indefinite(0, 1) = indefinite(1, 0) = indefinite(0, 2) = -0.9;
  indefinite(2, 0) = indefinite(1, 2) = indefinite(2, 1) = -0.9;
  for (double lambda : {0.0, 0.01, 0.3}) {
    const GlassoResult r = glasso(indefinite, {.lambda = lambda, .max_iterations = 50});
    EXPECT_NE(r.status, Status::ok) << lambda;
    expect_sound(indefinite, r);
  }
  EXPECT_EQ(glasso(indefinite, {.lambda = 0.5}).status, Status::ok);  // the dual is feasible again

  Matrix X = correlated_samples(2, 30, 10);  // rank one, a pair of equal columns, tiny lambda
  X.col(7) = Matrix(X.col(3));
  const Matrix S = empirical_covariance(X);
  for (double share : {1e-3, 1e-5}) {
    const double lambda = share * glasso_lambda_max(S);
    const GlassoResult r = glasso(S, {.lambda = lambda});
    expect_sound(S, r);
    EXPECT_LT(test::glasso_violation(S, lambda, r.Theta), share == 1e-3 ? 1e-6 : 1e-4);
  }
}

}  // namespace
}  // namespace spodnet
