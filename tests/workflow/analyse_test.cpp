#include "spodnet/workflow/analyse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "spodnet/workflow/choose_candidate.hpp"
#include "support/expect_error.hpp"
#include "support/shaped_table.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

using testing::HasSubstr;

Answer answer_for(const Prepared& data, const AnalysisOptions& options, int threads = 2) {
  ThreadPool pool(threads);
  Answer result = analyse(data, options, {.pool = pool});
  EXPECT_EQ(result.status, Status::ok) << result.message;
  return result;
}

/// What every answer must be.
void expect_sound(const Answer& answer) {
  const Eigen::Index p = answer.Theta.rows();
  ASSERT_EQ(answer.names.size(), std::size_t(p));
  EXPECT_EQ(answer.Theta, Matrix(answer.Theta.transpose()));
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(answer.Theta).eigenvalues()[0], 0);
  EXPECT_LT((answer.Theta * answer.W - Matrix::Identity(p, p)).norm(), 1e-6);
  std::size_t edges = 0;
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = i + 1; j < p; ++j) {
      edges += answer.Theta(i, j) != 0;
      const double rho = -answer.Theta(i, j) / std::sqrt(answer.Theta(i, i) * answer.Theta(j, j));
      EXPECT_NEAR(answer.partial(i, j), rho, 1e-12);
      EXPECT_EQ(answer.partial(i, j) == 0, answer.Theta(i, j) == 0);
    }
  EXPECT_EQ(answer.edges.size(), edges);
  for (std::size_t e = 1; e < answer.edges.size(); ++e)
    EXPECT_GE(std::abs(answer.edges[e - 1].partial_correlation),
              std::abs(answer.edges[e].partial_correlation));
  EXPECT_EQ(answer.community.size(), std::size_t(p));
  std::size_t chosen = 0;
  for (const AnswerCandidate& each : answer.candidates) chosen += each.chosen;
  EXPECT_EQ(chosen, 1u);
}

std::string notes_of(const Answer& answer) {
  std::string text;
  for (const AnswerNote& note : answer.notes) text += note.text + "\n";
  return text;
}

TEST(Analyse, AutoTrainsChoosesAndIsTheSameForAnyNumberOfThreads) {
  const ShapedTable table = shaped_table(6, 90, 1);
  const Prepared data = table.prepared();
  const TemporaryFolder cache;
  const AnalysisOptions options{
      .train = true, .resamples = 20, .stable = 0.2, .cache = cache.path()};
  const Answer answer = answer_for(data, options, 2);
  expect_sound(answer);
  EXPECT_EQ(answer.candidates.size(), 6u);
  EXPECT_THAT(notes_of(answer), HasSubstr("trained a"));
  EXPECT_THAT(notes_of(answer), HasSubstr("the smallest error on synthetic data of this shape"));
  EXPECT_THAT(answer.stable_check, HasSubstr("synthetic data sets"));
  for (const AnswerEdge& edge : answer.edges) ASSERT_TRUE(edge.confidence);
  const Answer again = answer_for(data, options, 1);
  EXPECT_THAT(notes_of(again), HasSubstr("came from the cache"));
  EXPECT_EQ(again.Theta, answer.Theta);
  EXPECT_EQ(again.stable_check, answer.stable_check);
}

TEST(Analyse, UnitsOfTheVariablesChangeNothingButTheUnitsOfTheAnswer) {
  ShapedTable table = shaped_table(5, 70, 2);
  const Answer plain = answer_for(table.prepared(), {.method = "glasso-cv"});
  const Vector unit = (Vector(5) << 1024, 1, 0.125, 64, 2).finished();  // exact in binary
  table.X = Matrix(table.X * unit.asDiagonal());
  const Answer scaled = answer_for(table.prepared(), {.method = "glasso-cv"});
  expect_sound(scaled);
  const Matrix back = unit.asDiagonal() * scaled.Theta * unit.asDiagonal();
  EXPECT_LT((back - plain.Theta).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((scaled.partial - plain.partial).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Analyse, WithoutStandardisingTheMethodSeesTheCovariance) {
  const ShapedTable table = shaped_table(5, 70, 2);
  const Prepared data = table.prepared();
  const Answer answer = answer_for(data, {.method = "glasso:lambda=0.1", .standardize = false});
  const Estimate direct = make_method("glasso:lambda=0.1", builtin_models())
                              ->estimate({empirical_covariance(data.X), 70});
  EXPECT_LT((answer.Theta - direct.Theta).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Analyse, CovariancesAreEnoughForMethodsThatNeedNoSamples) {
  const ShapedTable table = shaped_table(5, 70, 3);
  const Matrix S = empirical_covariance(table.X);
  const Prepared data = prepare_covariance({{}, {}, S}, 70, "S");
  const Answer from_S = answer_for(data, {.method = "glasso-ebic"});
  const Answer from_X = answer_for(table.prepared(), {.method = "glasso-ebic"});
  EXPECT_LT((from_S.Theta - from_X.Theta).cwiseAbs().maxCoeff(), 1e-6);
  expect_sound(answer_for(data, {}));
  ThreadPool pool(1);
  const auto refused = [&](const AnalysisOptions& options) {
    return [&, options] { static_cast<void>(analyse(data, options, {.pool = pool})); };
  };
  expect_error(refused({.method = "glasso-cv"}), {"glasso-cv", "samples"});
  expect_error(refused({.resamples = 10}), {"bootstrap"});
  expect_error(refused({.stable = 0.1}), {"stable", "resamples"});
}

TEST(Analyse, SaysWhatItDoesInsteadOfALearnedModel) {
  const ShapedTable wide = shaped_table(301, 5, 4);
  const Answer answer = answer_for(wide.prepared(), {});
  EXPECT_EQ(answer.method, "glasso-ebic");
  EXPECT_THAT(notes_of(answer), HasSubstr("301 variables are more than the 300"));
  const ShapedTable few = shaped_table(4, 2, 5);
  EXPECT_THAT(notes_of(answer_for(few.prepared(), {})), HasSubstr("2 samples are too few"));
}

TEST(Analyse, PriorKnowledgeHoldsInTheAnswer) {
  const ShapedTable table = shaped_table(6, 90, 1);
  Constraints constraints(6);
  constraints.narrow_all(PairRule::not_negative);
  constraints.narrow(0, 1, PairRule::zero);
  const Answer answer =
      answer_for(table.prepared(), {.resamples = 10, .constraints = &constraints});
  expect_sound(answer);
  EXPECT_TRUE(constraints.hold(answer.Theta));
  for (const AnswerEdge& edge : answer.edges) {
    EXPECT_GT(edge.partial_correlation, 0);
    EXPECT_GE(edge.confidence->low, 0);
  }
}

TEST(Analyse, MissingAndRanksReachEveryMethod) {
  ShapedTable table = shaped_table(5, 80, 6);
  for (Eigen::Index i = 0; i < 80; i += 9) table.X(i, i % 5) = std::nan("");
  for (const PrepareOptions& options :
       {PrepareOptions{.missing = Missing::pairwise, .ranks = {}},
        PrepareOptions{.missing = Missing::em, .ranks = {}},
        PrepareOptions{.missing = Missing::pairwise, .ranks = RankCorrelation::spearman}})
    expect_sound(answer_for(table.prepared(options), {.method = "glasso-cv", .resamples = 5}));
}

TEST(Analyse, SaysWhatAMethodThatGoesByTheSamplesSees) {
  ShapedTable table = shaped_table(5, 60, 3);
  table.X(3, 1) = NAN;
  const auto notes = [&](const std::string& method) {
    const Prepared data = table.prepared({.ranks = RankCorrelation::kendall});
    return notes_of(answer_for(data, {.method = method}));
  };
  EXPECT_THAT(notes("ledoit-wolf"),
              HasSubstr("Ledoit-Wolf shrinkage needs the rows themselves: it was fitted to"));
  EXPECT_THAT(notes("ledoit-wolf"), HasSubstr("replaced by their expectation"));
  for (const char* method : {"glasso-cv", "oas"})
    EXPECT_THAT(notes(method), testing::Not(HasSubstr("needs the rows")));
}

TEST(Choose, PrefersTheSmallestSyntheticErrorAmongThoseWithinOneStandardError) {
  std::vector<Candidate> all(3);
  const auto set = [&](std::size_t k, double mean, double sd, double error) {
    all[k].label = std::string(1, char('a' + k));
    all[k].estimate.Theta = Matrix::Identity(2, 2);
    all[k].held.mean = mean, all[k].held.sd = sd;
    all[k].held.folds = {mean - sd, mean, mean, mean, mean + sd};
    all[k].nmse = error;
  };
  set(0, -10, 1, 0.5);
  set(1, -10.4, 1, 0.2);
  set(2, -11, 1, 0.1);
  EXPECT_EQ(choose(all).index, 1u);
  all[1].reference = true;
  EXPECT_EQ(choose(all).index, 0u);
  all[1].reference = false, all[1].note = "failed";
  EXPECT_EQ(choose(all).index, 0u);
  for (Candidate& each : all) each.held = {};
  EXPECT_EQ(choose(all).index, 2u);
}

}  // namespace
}  // namespace spodnet::test
