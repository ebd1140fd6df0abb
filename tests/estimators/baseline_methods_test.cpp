#include "spodnet/estimators/baseline_methods.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/estimators/clime.hpp"
#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/glasso_ebic.hpp"
#include "spodnet/estimators/glasso_latent.hpp"
#include "spodnet/estimators/glasso_stars.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/estimators/tiger.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

class BaselineMethods : public testing::Test {
 protected:
  Matrix X = correlated_samples(40, 6, 1), S = empirical_covariance(X);

  Estimate run(const std::string& text, bool samples = true) const {
    const auto method = builtin_methods().make(parse_method(text));
    EXPECT_EQ(method->name(), parse_method(text).name);
    return method->estimate({.S = S, .n = 40, .X = samples ? &X : nullptr});
  }
  static double detail(const Estimate& estimate, const std::string& name) {
    for (const auto& [key, value] : estimate.details)
      if (key == name) return value;
    ADD_FAILURE() << "no detail " << name;
    return 0;
  }
};

TEST_F(BaselineMethods, SettingsReachTheGraphicalLasso) {
  const Estimate plain = run("glasso:lambda=0.1", false);
  const GlassoResult expected = glasso(S, {.lambda = 0.1});
  EXPECT_EQ(plain.Theta, expected.Theta);
  EXPECT_EQ(plain.W, expected.W);
  EXPECT_EQ(detail(plain, "lambda"), 0.1);
  EXPECT_EQ(detail(plain, "edges"), double(count_edges(expected.Theta)));
  EXPECT_EQ(detail(plain, "duality_gap"), expected.duality_gap);
  EXPECT_EQ(detail(plain, "kkt_residual"), expected.kkt_residual);
  EXPECT_EQ(detail(plain, "objective"), expected.objective);
  EXPECT_EQ(run("glasso:lambda=0.1,diagonal=true").Theta,
            glasso(S, {.lambda = 0.1, .penalize_diagonal = true}).Theta);
  EXPECT_EQ(run("glasso:lambda=0.01,tol=1e-3,kkt=0.1").Theta,
            glasso(S, {.lambda = 0.01, .tolerance = 1e-3, .kkt_tolerance = 0.1}).Theta);
  const Estimate stopped = run("glasso:lambda=0.01,iterations=1");
  EXPECT_EQ(stopped.status, Status::not_converged);
  EXPECT_NE(stopped.message.find("duality gap"), std::string::npos);
}

TEST_F(BaselineMethods, ThePenaltyMayComeFromAFile) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      text += std::string(std::abs(i - j) == 1 ? "inf" : "0.05") + (j == 5 ? "\n" : ",");
  const auto path = folder.write("penalty.csv", text);
  const Estimate estimate = run("glasso:penalty=" + path.string(), false);
  EXPECT_EQ(estimate.status, Status::ok);
  for (Eigen::Index i = 1; i < 6; ++i) EXPECT_EQ(estimate.Theta(i, i - 1), 0);
  EXPECT_NE(estimate.details[0].first, "lambda");
}

TEST_F(BaselineMethods, SelectionsCarryTheirScores) {
  const Estimate cv = run("glasso-cv:folds=4,grid=3,refinements=1");
  const auto expected = glasso_cv(X, {.folds = 4, .grid = 3, .refinements = 1});
  EXPECT_EQ(cv.Theta, expected.fit.Theta);
  EXPECT_EQ(detail(cv, "lambda"), expected.lambda);
  EXPECT_EQ(cv.score_columns,
            (std::vector<std::string>{"lambda", "mean", "fold_1", "fold_2", "fold_3", "fold_4"}));
  ASSERT_EQ(cv.scores.rows(), 6);
  EXPECT_EQ(cv.scores(2, 1), expected.scores[2].mean);
  EXPECT_EQ(cv.scores(5, 5), expected.scores[5].folds[3]);

  const Estimate ebic = run("glasso-ebic:gamma=1,count=7,ratio=0.1", false);
  const auto expected_ebic = glasso_ebic(S, 40, {.gamma = 1, .count = 7, .ratio = 0.1});
  EXPECT_EQ(ebic.Theta, expected_ebic.fit.Theta);
  EXPECT_EQ(ebic.scores(6, 3), expected_ebic.scores[6].ebic);

  const Estimate stars = run("glasso-stars:subsamples=5,threshold=0.2,count=8,ratio=0.05,seed=3");
  const auto expected_stars =
      glasso_stars(X, {.subsamples = 5, .threshold = 0.2, .count = 8, .ratio = 0.05, .seed = 3});
  EXPECT_EQ(stars.Theta, expected_stars.fit.Theta);
  EXPECT_EQ(stars.scores(0, 1), expected_stars.scores[0].instability);
}

TEST_F(BaselineMethods, Shrinkage) {
  EXPECT_EQ(run("ledoit-wolf").Theta, ledoit_wolf(X).Theta);
  EXPECT_EQ(run("oas", false).Theta, oas(S, 40).Theta);
  EXPECT_EQ(detail(run("oas"), "shrinkage"), oas(S, 40).shrinkage);
}

TEST_F(BaselineMethods, ClimeAndTiger) {
  const Estimate solved = run("clime:lambda=0.2", false);
  EXPECT_EQ(solved.Theta, clime(S, 0.2).Theta);
  EXPECT_EQ(detail(solved, "shift"), 0);
  EXPECT_LT(detail(solved, "violation"), 1e-7);
  EXPECT_EQ(run("tiger", false).Theta, tiger(S, tiger_lambda(6, 40)).Theta);
  EXPECT_EQ(run("tiger:lambda=0.3", false).Theta, tiger(S, 0.3).Theta);
  const Estimate cv = run("clime-cv:folds=4,count=7,ratio=0.1");
  const ColumnsCvResult expected = clime_cv(X, {.folds = 4, .count = 7, .ratio = 0.1});
  EXPECT_EQ(cv.Theta, expected.fit.Theta);
  EXPECT_EQ(cv.scores.rows(), 7);
  EXPECT_EQ(cv.scores(3, 5), expected.scores[3].folds[3]);
  EXPECT_EQ(run("tiger-cv").Theta, tiger_cv(X).fit.Theta);
}

/// On S of rank 3 both say what is the matter, and their Theta is SPD all the same.
TEST_F(BaselineMethods, ClimeAndTigerSayWhatIsNotSolvedOrNotSpd) {
  S = empirical_covariance(X.topRows(4));
  for (const char* name : {"clime:lambda=0.01", "tiger:lambda=0.001"}) {
    const Estimate estimate = run(name, false);
    EXPECT_EQ(estimate.status, Status::not_converged) << name;
    EXPECT_THAT(estimate.message, testing::HasSubstr("raise lambda"));
    EXPECT_GT(estimate.W.diagonal().minCoeff(), 0);
  }
  for (std::uint64_t seed = 0;; ++seed) {
    ASSERT_LT(seed, 200u) << "no matrix that is not SPD was met";
    S = covariance(6, 7, seed);
    const Estimate estimate = run("clime:lambda=0.15", false);
    if (estimate.status != Status::not_spd) continue;
    EXPECT_THAT(estimate.message, testing::HasSubstr("added to its diagonal"));
    EXPECT_GT(detail(estimate, "shift"), 0);
    EXPECT_TRUE(std::isfinite(spd_log_det(estimate.Theta)));
    break;
  }
}

TEST_F(BaselineMethods, SaysWhatItNeeds) {
  for (const char* name : {"glasso-cv", "glasso-stars", "ledoit-wolf", "clime-cv", "tiger-cv"}) {
    EXPECT_TRUE(builtin_methods().make({name, {}})->needs_samples());
    expect_error([&] { run(name, false); }, {name, "give the samples"});
  }
  EXPECT_FALSE(builtin_methods().make({"oas", {}})->needs_samples());
  EXPECT_FALSE(builtin_methods().make({"glasso-ebic", {}})->needs_samples());
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& parts) {
    expect_error([&] { run(text); }, parts);
  };
  refuse("glasso", {"glasso", "lambda=NUMBER or penalty=FILE"});
  refuse("glasso:lambda=0.1,penalty=x.csv", {"one of them"});
  refuse("glasso:lambda=-1", {"lambda is -1"});
  refuse("glasso:lambda=abc", {"glasso: lambda", "abc", "not a finite number"});
  refuse("glasso:lambda=0.1,alpha=2",
         {"unknown setting 'alpha'", "diagonal, iterations, kkt, lambda, penalty, tol"});
  refuse("glasso:lambda=0.1,diagonal=maybe", {"diagonal=maybe", "neither true nor false"});
  refuse("glasso-cv:folds=many", {"glasso-cv: folds", "many"});
  refuse("glasso-cv:lambda=1", {"unknown setting 'lambda'", "folds, grid, refinements, tol"});
  refuse("clime", {"clime: give lambda=NUMBER", "clime-cv"});
  refuse("tiger-cv:lambda=1", {"tiger-cv: unknown setting 'lambda'", "count, folds, ratio"});
  refuse("oas:lambda=1", {"oas: unknown setting 'lambda'", "none"});
}

TEST_F(BaselineMethods, GlassoLatentGivesTheWholeOrItsSparsePart) {
  const GlassoLatentResult expected = glasso_latent(S, {.lambda = 0.1, .gamma = 0.3});
  const Estimate whole = run("glasso-latent:lambda=0.1,gamma=0.3", false);
  EXPECT_EQ(whole.Theta, expected.Theta);
  EXPECT_EQ(detail(whole, "duality_gap"), expected.duality_gap);
  EXPECT_EQ(detail(whole, "factors"), expected.factors);
  const Estimate given = run("glasso-latent:lambda=0.1,gamma=0.3,factors=given", false);
  EXPECT_EQ(given.Theta, expected.A);
  EXPECT_LT(given.residual, 1e-10);
  EXPECT_EQ(run("glasso-latent-ebic:count=3", false).scores.rows(), 12);
  EXPECT_EQ(run("glasso-latent-cv:count=3,folds=3").scores.rows(), 12);
  expect_error([&] { (void)run("glasso-latent-cv", false); }, {"samples"});
  expect_error([&] { (void)run("glasso-latent:lambda=0.1"); }, {"gamma"});
  expect_error([&] { (void)run("glasso-latent-ebic:factors=some"); }, {"given"});
}

}  // namespace
}  // namespace spodnet::test
