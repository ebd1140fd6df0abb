// Positive combinations of methods: the weights are optimal, the sum is sparse and SPD.
#include "spodnet/estimators/stack_method.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <map>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

double score(const std::vector<StackFold>& folds, const std::vector<double>& a) {
  double sum = 0;
  for (const StackFold& fold : folds) {
    Matrix Theta = a[0] * fold.Theta[0];
    for (std::size_t k = 1; k < a.size(); ++k) Theta += a[k] * fold.Theta[k];
    sum += spd_log_det(Theta) - fold.S.cwiseProduct(Theta).sum();
  }
  return sum;
}

std::vector<StackFold> some_folds() {
  std::vector<StackFold> folds(3);
  for (std::size_t v = 0; v < folds.size(); ++v) {
    RandomStream random(7, v);
    folds[v].rows = correlated_samples(30, 5, random);
    folds[v].S = folds[v].rows.transpose() * folds[v].rows / 30;
    for (int k = 0; k < 3; ++k)
      folds[v].Theta.push_back(empirical_covariance(correlated_samples(20, 5, random)) +
                               0.2 * Matrix::Identity(5, 5));
  }
  return folds;
}

TEST(Stack, NoOtherWeightsPredictBetter) {
  const std::vector<StackFold> folds = some_folds();
  const std::vector<double> best = stack_weights(folds, 5000);
  const double value = score(folds, best);
  RandomStream random(9);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> other = best;
    for (double& a : other) a = std::max(0.0, a + 0.05 * random.normal());
    EXPECT_LE(score(folds, other), value + 1e-6);
  }
}

TEST(Stack, MoreStepsNeverPredictWorse) {
  const std::vector<StackFold> folds = some_folds();
  double before = -1e300;
  for (const int steps : {0, 1, 3, 10, 30}) {
    const double now = score(folds, stack_weights(folds, steps));
    EXPECT_GE(now, before - 1e-9);
    before = now;
  }
}

TEST(Stack, TheFirstMemberIsLeftOnlyForOneThatIsSurelyBetter) {
  std::vector<StackFold> folds = some_folds();
  for (StackFold& fold : folds) fold.Theta[1] = fold.S.inverse();  // the best there can be
  const std::vector<double> sure = lean_on_first(folds, {0, 1, 0});
  EXPECT_GT(sure[1], 0.5);
  EXPECT_NEAR(sure[0] + sure[1], 1, 1e-12);
  for (StackFold& fold : folds) fold.Theta[0] = fold.Theta[1];
  EXPECT_EQ(lean_on_first(folds, {0, 1, 0})[0], 1);  // no gain
  EXPECT_EQ(lean_on_first(folds, {0, 0, 2})[0], 1);  // a loss
}

TEST(Stack, WeightsInTheResultAndASparseSum) {
  RandomStream random(3);
  const Matrix X = correlated_samples(60, 12, random);
  const auto method = make_method("stack:members=pretrained+glasso-ebic", builtin_models());
  const Estimate got = method->estimate({.S = empirical_covariance(X), .n = 60, .X = &X});
  ASSERT_EQ(got.details.size(), 2u);
  EXPECT_EQ(got.details[0].first, "pretrained");
  EXPECT_NEAR(got.details[0].second + got.details[1].second, 1, 1e-12);
  EXPECT_EQ(got.Theta, got.Theta.transpose());
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  EXPECT_LT(got.residual, 1e-8);
  expect_error([&] { (void)method->estimate({.S = empirical_covariance(X), .n = 60}); },
               {"samples"});
}

TEST(Stack, OfFewRowsTheFirstMemberAnswersAlone) {
  RandomStream random(5);
  const Matrix X = correlated_samples(39, 6, random);
  const auto method = make_method("stack:members=oas+pretrained", builtin_models());
  const Estimate got = method->estimate({.S = empirical_covariance(X), .n = 39, .X = &X});
  EXPECT_EQ(got.details[0].second, 1);
  EXPECT_EQ(got.details[1].second, 0);
  const auto alone = make_method("oas", builtin_models());
  EXPECT_EQ(got.Theta, alone->estimate({.S = empirical_covariance(X), .n = 39, .X = &X}).Theta);
}

/// Other units change the result's units and nothing else.
TEST(Stack, FollowsTheUnits) {
  RandomStream random(4);
  const Matrix X = correlated_samples(40, 6, random);
  Vector units(6);
  units << 8, 1, 0.25, 1, 1024, 2;
  const Matrix Y = X * units.asDiagonal();
  const auto method = make_method("stack:members=oas+glasso-ebic", builtin_models());
  const Matrix a = method->estimate({.S = empirical_covariance(X), .n = 40, .X = &X}).Theta;
  const Matrix b = method->estimate({.S = empirical_covariance(Y), .n = 40, .X = &Y}).Theta;
  EXPECT_LT((units.asDiagonal() * b * units.asDiagonal() - a).norm(), 1e-8 * a.norm());
}

TEST(Stack, BadSettings) {
  const auto make = [](const char* text) { (void)make_method(text, builtin_models()); };
  expect_error([&] { make("stack:members=unknown"); }, {"unknown"});
  expect_error([&] { make("stack:members=stack"); }, {"itself"});
  expect_error([&] { make("stack:folds=1"); }, {"folds"});
  const Matrix two = Matrix::Identity(2, 2);
  const auto method = make_method("stack", builtin_models());
  expect_error([&] { (void)method->estimate({.S = two, .n = 2, .X = &two}); }, {"three"});
}

}  // namespace
}  // namespace spodnet::test
