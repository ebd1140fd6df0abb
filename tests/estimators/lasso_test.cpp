#include "spodnet/estimators/lasso.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/kernels.hpp"
#include "support/random_covariance.hpp"
#include "support/worse.hpp"

namespace spodnet {
namespace {

struct Case {
  Matrix H;
  Vector c, lambda, b;
};

Case random_case(Eigen::Index k, double ridge, std::uint64_t seed) {
  RandomStream random(seed);
  Case problem;
  problem.H = empirical_covariance(test::correlated_samples(k / 2 + 2, k, random)) +
              ridge * Matrix::Identity(k, k);
  problem.c = problem.lambda = problem.b = Vector(k);
  for (Eigen::Index l = 0; l < k; ++l) {
    problem.c[l] = random.normal();
    problem.lambda[l] = random.uniform(0, 0.8);
    problem.b[l] = random.below(2) ? random.normal() : 0;
  }
  return problem;
}

double run(Case& problem, double tolerance) {
  LassoWorkspace workspace;
  const std::size_t k = std::size_t(problem.H.rows());
  Matrix H = Matrix::Zero(Eigen::Index(k), Eigen::Index(padded(k)));
  H.leftCols(problem.H.cols()) = problem.H;
  return lasso({k, H.data(), problem.c.data(), problem.lambda.data()}, tolerance, problem.b.data(),
               workspace);
}

/// (c - H b)_l = lambda_l sign(b_l), or at most lambda_l where b_l = 0.
double violation(const Case& problem) {
  const Vector r = problem.c - problem.H * problem.b;
  double worst = 0;
  for (Eigen::Index l = 0; l < r.size(); ++l) {
    const double at = problem.b[l] == 0 ? std::max(std::abs(r[l]) - problem.lambda[l], 0.0)
                                        : r[l] - std::copysign(problem.lambda[l], problem.b[l]);
    worst = test::worse(worst, std::abs(at));
  }
  return worst;
}

TEST(Lasso, MeetsItsOptimalityConditions) {
  for (double ridge : {1.0, 1e-2, 1e-4, 1e-6})  // the last two are too ill-conditioned to descend
    for (Eigen::Index k : {1, 2, 5, 20, 60})
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Case problem = random_case(k, ridge, seed);
        run(problem, 1e-20);
        EXPECT_LT(violation(problem), 1e-8) << ridge << " " << k << " " << seed;
      }
}

TEST(Lasso, BearsToBeAskedForTheImpossible) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Case problem = random_case(30, 1e-3, seed);
    run(problem, 0);
    EXPECT_LT(violation(problem), 1e-10) << seed;
  }
}

TEST(Lasso, ReportsHowFarTheStartWasFromTheSolution) {
  Case problem = random_case(20, 0.1, 1);
  EXPECT_GT(run(problem, 1e-20), 0.1);
  EXPECT_LT(run(problem, 1e-20), 1e-20);
}

TEST(Lasso, StopsEarlyWhenLessIsAsked) {
  Case rough = random_case(30, 1, 2), fine = rough;
  run(rough, 1e-2);
  run(fine, 1e-20);
  EXPECT_GT(violation(rough), 1e-6);
  const Vector error = rough.b - fine.b;
  EXPECT_LT(error.dot(rough.H * error), 1e-2);
}

TEST(Lasso, EndsWhenThereIsNoMinimum) {
  Case problem = random_case(6, 0.1, 3);
  problem.H(0, 1) = problem.H(1, 0) = 10;  // indefinite
  EXPECT_GT(run(problem, 1e-12), 0);
  EXPECT_FALSE(violation(problem) < 1e-6);
}

}  // namespace
}  // namespace spodnet
