#include "spodnet/estimators/method.hpp"

#include <gtest/gtest.h>

#include "spodnet/core/random.hpp"
#include "spodnet/estimators/factor_model.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

Matrix samples(Eigen::Index n, Eigen::Index p) {
  RandomStream random(3);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  return X;
}

Estimate run(const std::string& text, const Matrix& X) {
  const auto method = builtin_methods().make(parse_method(text));
  EXPECT_TRUE(method->needs_samples());
  return method->estimate({.S = {}, .n = double(X.rows()), .X = &X});
}

TEST(FactorMethods, SettingsReachTheModel) {
  const Matrix X = samples(30, 6);
  FactorModelOptions options = egfm_options();
  options.rank = 2;
  options.lambda = {0.1, 0.3};
  options.nu = 7;
  options.iterations = 20;
  const Estimate got = run("egfm:rank=2,lambda=0.1/0.3,nu=7,iterations=20", X);
  EXPECT_EQ(got.Theta, fit_factor_model(X, options).Theta);
  EXPECT_EQ(got.status, Status::ok);
  EXPECT_LT(got.residual, 1e-10);
  EXPECT_EQ(got.details[0].first, "objective");
}

TEST(FactorMethods, NamesStartFromTheirOwnSettings) {
  const Matrix X = samples(30, 12);
  EXPECT_EQ(run("ggfm:iterations=5", X).Theta,
            fit_factor_model(X, {.lambda = {3.5}, .nu = 1000, .iterations = 5}).Theta);
  EXPECT_EQ(
      run("egm:iterations=5", X).Theta,
      fit_factor_model(
          X, {.model = CovarianceModel::full, .lambda = {0, 0.1, 0.2}, .nu = 5, .iterations = 5})
          .Theta);
  EXPECT_EQ(run("ggm:iterations=5", X).Theta,
            fit_factor_model(
                X, {.model = CovarianceModel::full, .lambda = {0.075}, .nu = 1000, .iterations = 5})
                .Theta);
}

TEST(FactorMethods, RefusesWhatItDoesNotKnow) {
  const auto refuse = [](const std::string& text, const std::vector<std::string>& parts) {
    expect_error([&] { builtin_methods().make(parse_method(text)); }, parts);
  };
  refuse("egfm:alpha=1", {"egfm", "'alpha'", "rank, lambda", "nu, iterations"});
  refuse("egm:rank=3", {"egm", "'rank'", "lambda"});
  refuse("egfm:rank=two", {"rank", "'two'", "integer"});
  refuse("egfm:rank=2.5", {"rank", "'2.5'", "integer"});
  refuse("egfm:lambda=1/", {"lambda", "number"});
  refuse("egfm:nu=5x", {"nu", "'5x'", "number"});
  const auto method = builtin_methods().make({"egfm", {}});
  expect_error([&] { (void)method->estimate({.S = Matrix::Identity(3, 3), .n = 5}); },
               {"egfm", "samples"});
}

}  // namespace
}  // namespace spodnet::test
