// A graph given hidden factors: factor analysis where the graph is empty, the graph and the number
// of factors where they are known.
#include "spodnet/estimators/factor_graph.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "random_matrices.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/metrics/edge.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

constexpr Eigen::Index kVariables = 24;

Matrix chain_precision() {
  Matrix A = 1.25 * Matrix::Identity(kVariables, kVariables);
  for (Eigen::Index j = 1; j < kVariables; ++j) A(j - 1, j) = A(j, j - 1) = -0.5;
  return A;
}

Matrix with_factors(const Matrix& A, Eigen::Index factors) {
  const Matrix Lambda = random_matrix(kVariables, factors, 8);
  const Matrix Sigma = A.inverse() + Lambda * Lambda.transpose();
  return (Sigma + Sigma.transpose()) / 2;
}

Matrix diagonal_graph(const Matrix& S) {
  return Vector(S.diagonal().cwiseMax(1e-3).cwiseInverse()).asDiagonal();
}

Matrix lasso_graph(const Matrix& S) {
  GlassoOptions options;
  options.lambda = 0.03;
  return glasso(S, options).Theta;
}

/// Without a graph it is factor analysis, whose covariance has the variances of S.
TEST(FactorGraph, WithoutAGraphIsFactorAnalysis) {
  const Matrix S = with_factors(Matrix::Identity(kVariables, kVariables), 2);
  const FactorGraph fit = fit_factor_graph(S, 1000, 2, diagonal_graph);
  ASSERT_EQ(fit.status, Status::ok);
  EXPECT_LT((fit.W - S).norm() / S.norm(), 0.02);
  EXPECT_LT((fit.W.diagonal() - S.diagonal()).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT((fit.Theta * fit.W - Matrix::Identity(kVariables, kVariables)).norm(), 1e-8);
  EXPECT_EQ(choose_factor_graph(S, 1000, diagonal_graph).factors(), 2);
}

TEST(FactorGraph, FindsTheGraphAndTheNumberOfFactors) {
  const Matrix A = chain_precision(), S = with_factors(A, 3);
  const FactorGraph fit = choose_factor_graph(S, 2000, lasso_graph);
  ASSERT_EQ(fit.status, Status::ok);
  EXPECT_EQ(fit.factors(), 3);
  EXPECT_EQ(Eigen::LLT<Matrix>(fit.A).info(), Eigen::Success);
  EXPECT_EQ(fit.A, fit.A.transpose());
  int found = 0, wrong = 0;
  for (const EdgePlace& edge : edges_of(fit.A)) (A(edge.i, edge.j) != 0 ? found : wrong) += 1;
  EXPECT_GE(found, int(kVariables) - 3);
  EXPECT_LE(wrong, 12);
  EXPECT_GT(count_edges(lasso_graph(S)), 2 * std::size_t(found + wrong));  // without factors
}

TEST(FactorGraph, FollowsTheUnits) {
  const Matrix S = with_factors(chain_precision(), 1);
  Vector units = Vector::Ones(kVariables);
  units[2] = 1024, units[5] = 0.125;
  const FactorGraph a = fit_factor_graph(S, 500, 1, lasso_graph);
  const FactorGraph b =
      fit_factor_graph(units.asDiagonal() * S * units.asDiagonal(), 500, 1, lasso_graph);
  EXPECT_LT((units.asDiagonal() * b.Theta * units.asDiagonal() - a.Theta).norm(),
            1e-6 * a.Theta.norm());
  EXPECT_LT((units.asDiagonal() * b.A * units.asDiagonal() - a.A).norm(), 1e-6 * a.A.norm());
}

TEST(FactorGraph, NoFactorsWhereVariablesAreUnrelated) {
  const Matrix I = Matrix::Identity(kVariables, kVariables);
  EXPECT_EQ(most_factors(I, 100), 0);
  EXPECT_EQ(choose_factor_graph(I, 100, lasso_graph).factors(), 0);
  EXPECT_EQ(most_factors(with_factors(I, 3), 1e4), 3);
  expect_error([&] { (void)fit_factor_graph(I, 100, kVariables, lasso_graph); }, {"fewer"});
  expect_error([&] { (void)fit_factor_graph(Matrix::Zero(4, 4), 100, 1, lasso_graph); },
               {"variances"});
}

}  // namespace
}  // namespace spodnet::test
