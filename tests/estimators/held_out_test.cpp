#include "spodnet/estimators/held_out.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

std::unique_ptr<Method> method(const std::string& text) {
  return make_method(text, builtin_models());
}

/// log N(x; mean, Sigma) from the definition.
double log_density(const Vector& x, const Vector& mean, const Matrix& Sigma) {
  const Vector d = x - mean;
  return -0.5 * (double(x.size()) * std::log(2 * std::numbers::pi) + std::log(Sigma.determinant()) +
                 d.dot(Sigma.inverse() * d));
}

TEST(HeldOut, IsTheMeanDensityOfTheHeldOutRowsInTheirOwnUnits) {
  Matrix X = correlated_samples(41, 5, 3);
  X.col(1) *= 1000;
  X.col(3).array() += 50;
  for (const bool standardize : {true, false}) {
    const HeldOutOptions options{.folds = 4, .seed = 9, .standardize = standardize};
    const HeldOut held = held_out_likelihood(*method("oas"), X, options);
    const auto parts = fold_rows(41, 4, 9);
    ASSERT_EQ(held.folds.size(), parts.size());
    double mean = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::set<std::uint32_t> test(parts[k].begin(), parts[k].end());
      Matrix train(41 - Eigen::Index(test.size()), 5);
      for (Eigen::Index i = 0, at = 0; i < 41; ++i)
        if (!test.contains(std::uint32_t(i))) train.row(at++) = X.row(i);
      const Matrix S = empirical_covariance(train);
      const Vector scale = standardize ? Vector(S.diagonal().cwiseSqrt()) : Vector::Ones(5);
      const Vector inverse = scale.cwiseInverse();
      const Matrix R = inverse.asDiagonal() * S * inverse.asDiagonal();
      const Matrix W = method("oas")->estimate({.S = R, .n = double(train.rows())}).W;
      const Matrix Sigma = scale.asDiagonal() * W * scale.asDiagonal();
      double expected = 0;
      for (std::uint32_t i : test)
        expected += log_density(X.row(i).transpose(), column_means(train), Sigma);
      expected /= double(test.size());
      EXPECT_NEAR(held.folds[k], expected, 1e-9 * std::abs(expected));
      mean += expected / 4;
    }
    EXPECT_NEAR(held.mean, mean, 1e-9 * std::abs(mean));
    EXPECT_GT(held.sd, 0);
    EXPECT_EQ(held.status, Status::ok);
  }
}

TEST(HeldOut, FoldsAreAPartitionTheSameForEverySizeOfPool) {
  const auto parts = fold_rows(23, 5, 4);
  std::set<std::uint32_t> all;
  for (const auto& part : parts) {
    EXPECT_TRUE(part.size() == 4 || part.size() == 5);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    all.insert(part.begin(), part.end());
  }
  EXPECT_EQ(all.size(), 23u);
  EXPECT_EQ(fold_rows(23, 5, 4), parts);
  EXPECT_NE(fold_rows(23, 5, 5), parts);
  EXPECT_EQ(fold_rows(4, 2, 0, false), (std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}}));

  const Matrix X = correlated_samples(30, 4, 1);
  ThreadPool pool(3);
  const HeldOut alone = held_out_likelihood(*method("glasso-cv"), X);
  const HeldOut together = held_out_likelihood(*method("glasso-cv"), X, {.pool = &pool});
  EXPECT_EQ(alone.folds, together.folds);
}

TEST(HeldOut, AnUnderfittedGraphPredictsWorse) {
  const Matrix X = correlated_samples(200, 6, 2);
  const double good = held_out_likelihood(*method("glasso-cv"), X).mean;
  EXPECT_GT(good, held_out_likelihood(*method("glasso:lambda=0.99"), X).mean);
}

TEST(HeldOut, RowsWithMissingValuesCountByTheirMarginal) {
  Matrix X = correlated_samples(20, 3, 5);
  const TrainingPart fixed{.X = {},
                           .S = empirical_covariance(X),
                           .n = 20,
                           .mean = column_means(X),
                           .scale = Vector{{2, 0.5, 1}}};
  X(0, 1) = X(7, 0) = X(7, 2) = std::numeric_limits<double>::quiet_NaN();
  X.row(3).setConstant(std::numeric_limits<double>::quiet_NaN());
  const auto given = method("oas");
  const HeldOut held = held_out_likelihood(
      *given, X, {.folds = 2, .shuffle = false, .prepare = [&](const std::vector<std::uint32_t>&) {
                    return fixed;
                  }});
  const Matrix W = given->estimate({.S = fixed.S, .n = 20}).W;
  const Matrix Sigma = fixed.scale.asDiagonal() * W * fixed.scale.asDiagonal();
  double expected = 0;
  for (Eigen::Index i = 0; i < 10; ++i) {
    std::vector<Eigen::Index> seen;
    for (Eigen::Index j = 0; j < 3; ++j)
      if (!std::isnan(X(i, j))) seen.push_back(j);
    if (seen.empty()) continue;
    expected += log_density(X(i, seen).transpose(), fixed.mean(seen), Sigma(seen, seen)) / 10;
  }
  EXPECT_NEAR(held.folds[0], expected, 1e-10);
}

TEST(HeldOut, RowsOfScoresAreJudgedByTheCovarianceThatScoresHave) {
  const Matrix X = correlated_samples(20, 3, 6);
  const TrainingPart fixed{.X = {},
                           .S = empirical_covariance(X),
                           .n = 20,
                           .mean = column_means(X),
                           .scale = Vector::Ones(3),
                           .information = Vector{{0.64, 1, 0.25}}};
  const auto given = method("oas");
  const HeldOut held = held_out_likelihood(
      *given, X, {.folds = 2, .shuffle = false, .prepare = [&](const std::vector<std::uint32_t>&) {
                    return fixed;
                  }});
  Matrix C = given->estimate({.S = fixed.S, .n = 20}).W;
  const double root[] = {0.8, 1, 0.5};
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < 3; ++j)
      if (i != j) C(i, j) *= root[i] * root[j];
  double expected = 0;
  for (Eigen::Index i = 0; i < 10; ++i)
    expected += log_density(X.row(i).transpose(), fixed.mean, C) / 10;
  EXPECT_NEAR(held.folds[0], expected, 1e-10);
}

TEST(HeldOut, AColumnConstantInATrainingPartKeepsItsSpread) {
  Matrix X = correlated_samples(20, 3, 5);
  X.col(1).setZero();
  X(4, 1) = 1;  // constant in the fold that holds row 4 out
  const HeldOut held = held_out_likelihood(*method("glasso:lambda=0.1"), X);
  for (double fold : held.folds) EXPECT_TRUE(std::isfinite(fold));
}

TEST(HeldOut, RefusesWhatCannotBeSplit) {
  Matrix X = correlated_samples(6, 3, 5);
  expect_error([&] { (void)held_out_likelihood(*method("oas"), X, {.folds = 7}); },
               {"6 rows", "7 folds"});
  expect_error([&] { (void)held_out_likelihood(*method("oas"), X, {.folds = 1}); }, {"at least 2"});
  X.col(2).setConstant(3);
  expect_error([&] { (void)held_out_likelihood(*method("oas"), X); }, {"variable 2", "constant"});
}

}  // namespace
}  // namespace spodnet::test
