#include "spodnet/estimators/glasso_box.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "spodnet/core/kernels.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "support/admm_glasso.hpp"
#include "support/random_covariance.hpp"

namespace spodnet {
namespace {

using test::admm_glasso;
using test::correlated_samples;
using test::glasso_objective;

struct Problem {
  Matrix S, lambda, W;  // W = S with its off-diagonal entries shrunk by as much as lambda allows
};

Problem make_problem(Eigen::Index n, Eigen::Index p, double share, std::uint64_t seed) {
  Problem problem;
  problem.S = empirical_covariance(correlated_samples(n, p, seed));
  const Matrix diagonal = problem.S.diagonal().asDiagonal();
  problem.lambda = Matrix::Constant(p, p, share * glasso_lambda_max(problem.S));
  problem.W = problem.S - share * (problem.S - diagonal);
  return problem;
}

double distance_to_box(const Problem& problem, const Matrix& W) {
  Matrix excess = (W - problem.S).cwiseAbs() - problem.lambda;
  excess.diagonal() = (W - problem.S).diagonal().cwiseAbs();
  return excess.maxCoeff();
}

TEST(GlassoBox, ClimbsInsideTheBoxHoweverRoughItsColumns) {
  for (Eigen::Index p : {2, 3, 9, 40}) {
    const Problem problem = make_problem(p + 5, p, 0.1, std::uint64_t(p));
    GlassoBox box(problem.S, problem.lambda, problem.W);
    double before = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < 6; ++k) {
      ASSERT_TRUE(box.invert());
      EXPECT_GE(box.log_det_W(), before - 1e-10);
      EXPECT_LE(distance_to_box(problem, box.W()), 1e-15 * problem.S.norm());
      EXPECT_EQ(box.W(), Matrix(box.W().transpose()));
      before = box.log_det_W();
      box.sweep();
    }
  }
}

TEST(GlassoBox, AgreesWithAnUnrelatedAlgorithm) {
  for (Eigen::Index n : {15, 60}) {  // S singular and not
    const Problem problem = make_problem(n, 25, 0.05, 3);
    GlassoBox box(problem.S, problem.lambda, problem.W);
    for (int k = 0; k < 60; ++k) {
      ASSERT_TRUE(box.invert());
      box.sweep();
    }
    ASSERT_TRUE(box.invert());
    const Matrix Theta = admm_glasso(problem.S, problem.lambda);
    EXPECT_LT((box.precision() - Theta).norm(), 1e-5 * Theta.norm());
  }
}

TEST(GlassoBox, EstimatesTheGapOfItsEdges) {
  const Problem problem = make_problem(60, 30, 0.05, 8);
  GlassoBox box(problem.S, problem.lambda, problem.W);
  for (int k = 0; k < 6; ++k) {
    ASSERT_TRUE(box.invert());
    const double gap = glasso_objective(problem.S, problem.lambda, box.precision()) -
                       (std::log(box.W().determinant()) + 30);
    EXPECT_GE(gap, -1e-10);
    if (box.gap_estimate() < 0.1 && box.gap_estimate() > 1e-9) {
      EXPECT_LT(gap, 5 * box.gap_estimate());
      EXPECT_GT(gap, box.gap_estimate() / 5);
    }
    box.sweep();
  }
  EXPECT_LT(box.gap_estimate(), 1e-4);
}

TEST(GlassoBox, KeepsPenaltiesOfZeroAndInfinity) {
  Problem problem = make_problem(60, 12, 0.05, 5);
  problem.lambda(1, 2) = problem.lambda(2, 1) = 0;
  problem.lambda(3, 7) = problem.lambda(7, 3) = std::numeric_limits<double>::infinity();
  problem.W(1, 2) = problem.W(2, 1) = problem.S(1, 2);
  GlassoBox box(problem.S, problem.lambda, problem.W);
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(box.invert());
    box.sweep();
  }
  ASSERT_TRUE(box.invert());
  EXPECT_EQ(box.W()(1, 2), problem.S(1, 2));
  EXPECT_NE(box.precision()(1, 2), 0);
  EXPECT_EQ(box.precision()(3, 7), 0);
  const Matrix Theta = glasso(problem.S, {.penalty = problem.lambda}).Theta;
  EXPECT_LT((box.precision() - Theta).norm(), 1e-6 * Theta.norm());
}

// An entry inside its bounds that rounding leaves no move is asked again all the same.
TEST(GlassoBox, AnswersTheSameUpToRoundingWhateverTheLastDigitsOfS) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GlassoOptions options;
    options.tolerance = 1e-7;
    options.kkt_tolerance = 1e-5;
    Matrix S = empirical_covariance(correlated_samples(178, 13, seed));
    const Matrix inverse = S.inverse();
    options.penalty = Matrix::Constant(13, 13, 0.02);
    for (Eigen::Index i = 0; i < 13; ++i)
      for (Eigen::Index j = 0; j < i; ++j)
        if (std::abs(inverse(i, j)) < 0.1 * std::sqrt(inverse(i, i) * inverse(j, j)))
          options.penalty(i, j) = options.penalty(j, i) = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < 13; ++i) options.penalty(i, i) = 0;
    const GlassoResult first = glasso(S, options);
    S *= 1 + 1e-15;
    const GlassoResult second = glasso(S, options);
    EXPECT_EQ(first.iterations, second.iterations);
    EXPECT_LE((first.Theta - second.Theta).cwiseAbs().maxCoeff(), 1e-11 * first.Theta.norm())
        << seed;
  }
}

TEST(GlassoBox, RefusesAnIndefiniteStart) {
  Matrix S = Matrix::Identity(3, 3);
  S(0, 1) = S(1, 0) = S(0, 2) = S(2, 0) = S(1, 2) = S(2, 1) = -0.9;
  const Matrix lambda = Matrix::Constant(3, 3, 0.01);
  EXPECT_FALSE(GlassoBox(S, lambda, S).invert());
}

}  // namespace
}  // namespace spodnet
