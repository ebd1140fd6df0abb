#include "spodnet/estimators/factor_model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "estimators/random_matrices.hpp"
#include "spodnet/estimators/elliptical_cost.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "support/animals.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

Matrix centred(const Matrix& X) { return X.rowwise() - X.colwise().mean(); }

class StudentFit : public testing::TestWithParam<double> {};

/// Without a penalty the full model is stationary where
/// Sigma = Psi = 1/n sum_i (nu + p)/(nu + q_i) x_i x_i'.
TEST_P(StudentFit, IsTheFixedPoint) {
  const double nu = GetParam();
  const Matrix X = random_matrix(60, 5, 2), Xc = centred(X);
  FactorModelOptions options = egm_options();
  options.lambda = {0};
  options.nu = nu;
  const FactorModelResult fit = fit_factor_model(X, options);
  ASSERT_TRUE(fit.converged);
  Matrix Psi = Matrix::Zero(5, 5);
  for (const auto& x : Xc.rowwise())
    Psi += (nu + 5) / (nu + (x * fit.Theta * x.transpose())(0, 0)) * x.transpose() * x / 60;
  EXPECT_LT((fit.Sigma - Psi).norm(), 1e-5 * Psi.norm());
}

INSTANTIATE_TEST_SUITE_P(Tails, StudentFit, testing::Values(1.0, 5.0, 1000.0));

TEST(FactorModel, AThousandDegreesOfFreedomAreNearlyGaussian) {
  const Matrix X = random_matrix(60, 5, 2);
  FactorModelOptions options = ggm_options();
  options.lambda = {0};
  const Matrix S = centred(X).transpose() * centred(X) / 60;
  EXPECT_LT((fit_factor_model(X, options).Sigma - S).norm(), 0.01 * S.norm());
}

TEST(FactorModel, FactorFitHasItsStructureAndDescends) {
  const Matrix X = random_matrix(50, 8, 3);
  FactorModelOptions options = egfm_options();
  options.rank = 2;
  options.lambda = {0.05};
  double before = INFINITY;
  for (int iterations : {1, 2, 10, 100}) {
    options.iterations = iterations;
    const FactorModelResult fit = fit_factor_model(X, options);
    EXPECT_EQ(fit.status, Status::ok);
    EXPECT_LE(fit.steps, iterations - 1);
    EXPECT_LT(fit.objective, before);
    const EllipticalCost cost{.X = centred(X), .nu = 5, .lambda = 0.05};
    EXPECT_NEAR(fit.objective, cost.value(fit.Sigma), 1e-10);
    EXPECT_EQ(Eigen::LLT<Matrix>(fit.Theta).info(), Eigen::Success);
    EXPECT_LT((fit.Theta * fit.Sigma - Matrix::Identity(8, 8)).norm(), 1e-10);
    before = fit.objective;
  }
}

TEST(FactorModel, RankIsTheNumberOfFactors) {
  const Matrix X = random_matrix(50, 8, 3);
  FactorModelOptions options = ggfm_options();
  options.lambda = {0};
  options.rank = 8;
  const double rich = fit_factor_model(X, options).objective;
  options.rank = 1;
  EXPECT_GT(fit_factor_model(X, options).objective, rich + 1e-3);
}

TEST(FactorModel, LambdasAreRunInOrderFromTheLastResult) {
  const Matrix X = random_matrix(30, 5, 4);
  FactorModelOptions options = egm_options();
  options.lambda = {0, 0.1, 0.2};
  const FactorModelResult path = fit_factor_model(X, options);
  options.lambda = {0.2};
  const FactorModelResult direct = fit_factor_model(X, options);
  EXPECT_GT(path.steps, direct.steps);
  EXPECT_NEAR(path.objective, direct.objective, 0.05 * std::abs(direct.objective));
}

TEST(FactorModel, RefusesBadInput) {
  const Matrix X = random_matrix(10, 4, 5);
  const auto refuse = [&](const Matrix& data, FactorModelOptions options, const char* part) {
    expect_error([&] { (void)fit_factor_model(data, options); }, {"fit_factor_model", part});
  };
  FactorModelOptions small = egfm_options();
  small.rank = 2;
  refuse(X.topRows(1), small, "at least two");
  Matrix broken = X;
  broken(3, 1) = std::nan("");
  refuse(broken, small, "NaN");
  broken.col(1).setConstant(2.5);
  refuse(broken, small, "variable 2 is constant");
  refuse(X, egfm_options(), "rank 10");
  small.rank = 0;
  refuse(X, small, "rank 0");
  small.rank = 2;
  small.lambda = {1, -1};
  refuse(X, small, "lambda");
  small.lambda = {};
  refuse(X, small, "lambda");
  small.lambda = {1};
  small.nu = 0;
  refuse(X, small, "nu");
  small.nu = 5;
  small.iterations = 0;
  refuse(X, small, "iterations");
}

double modularity_at(const Matrix& Theta, double threshold) {
  return louvain(graph_of(Theta, {.threshold = threshold})).modularity;
}

TEST(FactorModel, EgfmOnAnimalsAfterAHundredIterations) {
  const Matrix X = read_animals();
  SPODNET_NEEDS_ANIMALS(X);
  FactorModelOptions options = egfm_options();
  options.iterations = 100;
  const FactorModelResult fit = fit_factor_model(X, options);
  EXPECT_NEAR(fit.objective, 84.43, 0.01);
  EXPECT_NEAR(modularity_at(fit.Theta, 0), 0.7515, 0.002);
}

TEST(FactorModel, EgfmOnAnimals) {
  const Matrix X = read_animals();
  SPODNET_NEEDS_ANIMALS(X);
  const FactorModelResult fit = fit_factor_model(X, egfm_options());
  EXPECT_EQ(fit.status, Status::ok);
  EXPECT_NEAR(fit.objective, 71.9, 0.3);
  EXPECT_NEAR(modularity_at(fit.Theta, 1e-2), 0.866, 0.01);
  EXPECT_GT(modularity_at(fit.Theta, 0), 0.75);  // 0.80 ... 0.87 by rounding alone
}

TEST(FactorModel, OthersOnAnimals) {
  const Matrix X = read_animals();
  SPODNET_NEEDS_ANIMALS(X);
  EXPECT_NEAR(modularity_at(fit_factor_model(X, ggfm_options()).Theta, 1e-2), 0.866, 0.02);
  EXPECT_NEAR(modularity_at(fit_factor_model(X, egm_options()).Theta, 1e-1), 0.603, 0.02);
  EXPECT_NEAR(modularity_at(fit_factor_model(X, ggm_options()).Theta, 1e-1), 0.538, 0.02);
}

}  // namespace
}  // namespace spodnet::test
