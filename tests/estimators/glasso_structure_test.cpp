#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "spodnet/estimators/components.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet {
namespace {

using test::correlated_samples;
using test::expect_error;

Matrix structured_covariance(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  return empirical_covariance(correlated_samples(n, p, seed));
}

/// Variables 0..a-1, a..a+b-1, ... in groups with no correlation between them.
Matrix block_covariance(const std::vector<Eigen::Index>& sizes) {
  Eigen::Index p = 0;
  for (Eigen::Index q : sizes) p += q;
  Matrix S = Matrix::Zero(p, p);
  Eigen::Index at = 0;
  for (Eigen::Index q : sizes) {
    S.block(at, at, q, q) = structured_covariance(3 * q, q, std::uint64_t(at + 1));
    at += q;
  }
  return S;
}

/// Reachable variables, the obvious way.
std::set<Eigen::Index> reachable(const Matrix& S, double lambda, Eigen::Index from) {
  std::set<Eigen::Index> seen = {from};
  for (std::vector<Eigen::Index> queue = {from}; !queue.empty();) {
    const Eigen::Index i = queue.back();
    queue.pop_back();
    for (Eigen::Index j = 0; j < S.rows(); ++j)
      if (j != i && std::abs(S(i, j)) > lambda && seen.insert(j).second) queue.push_back(j);
  }
  return seen;
}

TEST(GlassoComponents, AreTheConnectedOnes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix S = structured_covariance(20, 25, seed);
    const double lambda = (0.2 + 0.04 * double(seed)) * glasso_lambda_max(S);
    const auto components = glasso_components(S, {.lambda = lambda});
    std::size_t total = 0, previous = 25;
    for (const auto& members : components) {
      EXPECT_EQ(std::set<Eigen::Index>(members.begin(), members.end()),
                reachable(S, lambda, members.front()));
      EXPECT_LE(members.size(), previous);
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      previous = members.size();
      total += members.size();
    }
    EXPECT_EQ(total, 25u);
  }
}

TEST(GlassoComponents, SolveApartWhatIsApart) {
  const Matrix S = block_covariance({6, 1, 9, 3});
  const GlassoResult whole = glasso(S, {.lambda = 0.05});
  EXPECT_GE(whole.components, 4);
  Eigen::Index at = 0;
  for (Eigen::Index q : {6, 1, 9, 3}) {
    const GlassoResult part = glasso(S.block(at, at, q, q), {.lambda = 0.05});
    EXPECT_LT((whole.Theta.block(at, at, q, q) - part.Theta).norm(), 1e-7 * part.Theta.norm());
    at += q;
  }
  EXPECT_EQ(whole.Theta.block(0, 6, 6, 13), Matrix::Zero(6, 13));
  EXPECT_EQ(whole.W.block(0, 6, 6, 13), Matrix::Zero(6, 13));
}

TEST(GlassoComponents, GiveTheSameBitsForAnyNumberOfThreads) {
  const Matrix S = block_covariance({20, 5, 5, 30, 2});
  const GlassoResult serial = glasso(S, {.lambda = 0.05});
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const GlassoResult r = glasso(S, {.lambda = 0.05, .pool = &pool});
    EXPECT_EQ(r.Theta, serial.Theta);
    EXPECT_EQ(r.W, serial.W);
    EXPECT_EQ(r.duality_gap, serial.duality_gap);
  }
}

TEST(GlassoWarmStart, ReachesTheSameSolutionSooner) {
  const Matrix S = structured_covariance(30, 25, 1);
  const double lambda = 0.1 * glasso_lambda_max(S);
  const GlassoResult cold = glasso(S, {.lambda = lambda});
  for (double factor : {0.5, 0.8, 1.0, 1.25, 3.0}) {
    const GlassoResult near = glasso(S, {.lambda = factor * lambda});
    GlassoOptions options{.lambda = lambda, .Theta_start = &near.Theta};
    const GlassoResult without = glasso(S, options);
    options.W_start = &near.W;
    const GlassoResult with = glasso(S, options);
    for (const GlassoResult& r : {without, with}) {
      EXPECT_EQ(r.status, Status::ok);
      EXPECT_LT((r.Theta - cold.Theta).norm(), 1e-6 * cold.Theta.norm()) << factor;
    }
    if (factor == 1) {
      EXPECT_LT(with.iterations, cold.iterations);
    }
  }
}

TEST(GlassoWarmStart, SurvivesAnyStart) {
  const Matrix S = structured_covariance(8, 12, 2);
  const double lambda = 0.05 * glasso_lambda_max(S);
  const Matrix Theta = glasso(S, {.lambda = lambda}).Theta;
  const Matrix identity = Matrix::Identity(12, 12), ones = Matrix::Ones(12, 12);
  const Matrix other = glasso(structured_covariance(8, 12, 99), {.lambda = 0.1}).Theta;
  for (const Matrix& start : {identity, ones, Matrix(-ones), Matrix(1e8 * identity), other})
    for (const Matrix* W : {static_cast<const Matrix*>(nullptr), &ones}) {
      const GlassoResult r = glasso(S, {.lambda = lambda, .Theta_start = &start, .W_start = W});
      EXPECT_EQ(r.status, Status::ok);
      EXPECT_LT((r.Theta - Theta).norm(), 1e-6 * Theta.norm());
    }
}

TEST(GlassoPath, EqualsSeparateFits) {
  const Matrix S = structured_covariance(12, 15, 3);
  const double lambda_max = glasso_lambda_max(S);
  for (auto [high, low] : {std::pair(1.0, 0.01), std::pair(0.01, 1.0)}) {
    const auto lambdas = log_spaced(high * lambda_max, low * lambda_max, 8);
    const auto path = glasso_path(S, lambdas);
    ASSERT_EQ(path.size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
      const GlassoResult alone = glasso(S, {.lambda = lambdas[k]});
      EXPECT_EQ(path[k].status, Status::ok);
      EXPECT_LT((path[k].Theta - alone.Theta).norm(), 1e-6 * alone.Theta.norm());
    }
  }
}

TEST(LogSpaced, HitsBothEnds) {
  EXPECT_EQ(log_spaced(2, 0.02, 3).size(), 3u);
  EXPECT_EQ(log_spaced(2, 0.02, 3)[0], 2);
  EXPECT_NEAR(log_spaced(2, 0.02, 3)[1], 0.2, 1e-15);
  EXPECT_NEAR(log_spaced(2, 0.02, 3)[2], 0.02, 1e-16);
  EXPECT_EQ(log_spaced(2, 0.02, 1), std::vector<double>{2});
}

TEST(Glasso, RefusesBadInputInOneLine) {
  const Matrix S = structured_covariance(20, 4, 4);
  const auto fails = [&](const Matrix& A, const GlassoOptions& options,
                         const std::vector<std::string>& parts) {
    expect_error([&] { (void)glasso(A, options); }, parts);
  };
  Matrix asymmetric = S, with_nan = S, constant_variable = S;
  asymmetric(1, 2) += 0.5;
  with_nan(3, 0) = NAN;
  constant_variable.row(2).setZero();
  constant_variable.col(2).setZero();
  fails(S.topRows(3), {}, {"glasso: S", "3 x 4", "not a square"});
  fails(asymmetric, {}, {"glasso: S", "not symmetric", "[2,1]"});
  fails(with_nan, {}, {"glasso: S", "[3,0]", "nan"});
  fails(constant_variable, {}, {"glasso", "variable 2", "zero variance"});
  fails(S, {.lambda = -0.1}, {"glasso", "lambda is -0.1", ">= 0"});
  fails(S, {.lambda = NAN}, {"glasso", "lambda"});
  fails(S, {.penalty = Matrix::Ones(3, 3)}, {"penalty is 3 x 3", "S is 4 x 4"});
  fails(S, {.penalty = -Matrix::Ones(4, 4)}, {"penalty [0,0]", ">= 0"});
  Matrix penalty = Matrix::Ones(4, 4);
  penalty(0, 1) = 2;
  fails(S, {.penalty = penalty}, {"penalty is not symmetric", "[0,1]"});
  fails(S, {.tolerance = 0}, {"tolerance"});
  const Matrix small = Matrix::Identity(2, 2);
  fails(S, {.Theta_start = &small}, {"Theta_start is 2 x 2", "4 x 4"});
  expect_error([&] { (void)glasso_path(S, std::vector{0.1}, {.penalty = Matrix::Ones(4, 4)}); },
               {"glasso_path", "penalty matrix"});
  // Asymmetry within rounding is averaged away.
  Matrix rounded = S;
  rounded(0, 1) *= 1 + 1e-9;
  EXPECT_EQ(glasso(rounded).Theta, Matrix(glasso(rounded).Theta.transpose()));
}

}  // namespace
}  // namespace spodnet
