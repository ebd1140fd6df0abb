#include "spodnet/workflow/hidden_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "spodnet/core/random.hpp"

namespace spodnet::test {
namespace {

/// n samples of a chain; with a factor of about 40 % of the variance behind all of them.
Matrix chain_table(Eigen::Index n, Eigen::Index p, bool factor, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double common = random.normal();
    double last = 0;
    for (Eigen::Index j = 0; j < p; ++j) {
      last = 0.4 * last + random.normal();
      X(i, j) = last + (factor ? 0.85 * common : 0);
    }
  }
  return X;
}

bool noticed(const Matrix& X) {
  const Prepared data = prepare_samples({{}, {}, X}, {}, "t");
  ThreadPool pool(2);
  const AnalysisOptions options;
  return find_hidden_factor(begin_analysis(data, options, {.pool = pool})).has_value();
}

TEST(HiddenFactor, IsNoticedAndNotSeenWhereThereIsNone) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto p = Eigen::Index(12 + 5 * seed);
    EXPECT_TRUE(noticed(chain_table(200, p, true, seed))) << seed;
    EXPECT_FALSE(noticed(chain_table(200, p, false, seed))) << seed;
  }
}

/// Where a factor is seen the graph is that given it: the chain, and not the cause of all.
TEST(HiddenFactor, AutoGivesTheGraphGivenTheFactor) {
  const Eigen::Index p = 24;
  const Prepared data = prepare_samples({{}, {}, chain_table(300, p, true, 9)}, {}, "t");
  ThreadPool pool(2);
  const Answer result = analyse(data, {}, {.pool = pool});
  ASSERT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.method, "pretrained:factors=given");
  int links = 0, wrong = 0;
  for (const AnswerEdge& edge : result.edges) (edge.j - edge.i == 1 ? links : wrong) += 1;
  EXPECT_GE(links, 20);
  EXPECT_LE(wrong, 12);
  std::string notes;
  for (const AnswerNote& note : result.notes) notes += note.text + "\n";
  EXPECT_NE(notes.find("given 1 hidden factor,"), notes.npos) << notes;
  double best = -INFINITY, chosen = 0;
  for (const AnswerCandidate& each : result.candidates) {
    best = std::max(best, each.held_out);
    if (each.chosen) chosen = each.held_out;
  }
  EXPECT_GT(chosen, best - 0.5);  // it predicts with the factor
}

/// Eight items of one factor: every pair depends, and no link is called stable on that.
TEST(HiddenFactor, OneScaleIsToldAsAFactor) {
  RandomStream random(5);
  Matrix X(1000, 8);
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double factor = random.normal();
    for (Eigen::Index j = 0; j < 8; ++j)
      X(i, j) = factor + (1 + 0.05 * double(j)) * random.normal();
  }
  ThreadPool pool(2);
  AnalysisOptions options;
  options.resamples = 60;
  options.stable = 0.1;
  const Answer answer = analyse(prepare_samples({{}, {}, X}, {}, "t"), options, {.pool = pool});
  EXPECT_GT(answer.edges.size(), 20u);
  int stable = 0;
  for (const AnswerEdge& edge : answer.edges) stable += edge.confidence->stable;
  EXPECT_LE(stable, 4);
  std::string warnings;
  for (const AnswerNote& note : answer.notes)
    if (note.kind == AnswerNote::Kind::warning) warnings += note.text + "\n";
  EXPECT_NE(warnings.find("one hidden factor explains these variables better"), warnings.npos)
      << warnings;
  EXPECT_NE(answer.stable_check.find("unmeasured common causes"), std::string::npos)
      << answer.stable_check;
}

/// Edges between neighbours of a chain stay if factors are allowed for; those that a common cause
/// makes between the others go.
TEST(HiddenFactor, EdgesDespiteFactors) {
  const Eigen::Index p = 24;
  const Prepared data = prepare_samples({{}, {}, chain_table(300, p, true, 9)}, {}, "t");
  ThreadPool pool(2);
  AnalysisOptions options;
  const Analysis analysis = begin_analysis(data, options, {.pool = pool});
  Candidate inverse;  // a graph without factors: every pair is an edge
  inverse.estimate.Theta = analysis.working.all.S.inverse();
  std::vector<EdgePlace> places;
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = i + 1; j < p; ++j) places.push_back({i, j});
  const std::vector<bool> kept = edges_despite_factors(analysis, inverse, places);
  int links = 0, others = 0;
  for (std::size_t e = 0; e < places.size(); ++e)
    (places[e].j - places[e].i == 1 ? links : others) += kept[e];
  EXPECT_GE(links, 18);
  EXPECT_LE(others, 25);  // of 253
  options.method = "glasso-ebic";
  const Analysis asked = begin_analysis(data, options, {.pool = pool});
  const std::vector<bool> all = edges_despite_factors(asked, inverse, places);
  EXPECT_EQ(std::count(all.begin(), all.end(), true), std::ptrdiff_t(places.size()));
}

/// Without a factor nothing speaks for one, and all edges stay.
TEST(HiddenFactor, EdgesOfSparseGraphsStay) {
  ThreadPool pool(2);
  const AnalysisOptions options;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Prepared data = prepare_samples({{}, {}, chain_table(200, 20, false, seed)}, {}, "t");
    const Analysis analysis = begin_analysis(data, options, {.pool = pool});
    Candidate inverse;
    inverse.estimate.Theta = analysis.working.all.S.inverse();
    std::vector<EdgePlace> places;
    for (Eigen::Index j = 1; j < 20; ++j) places.push_back({j - 1, j});
    const std::vector<bool> kept = edges_despite_factors(analysis, inverse, places);
    EXPECT_EQ(std::count(kept.begin(), kept.end(), true), 19) << seed;
  }
}

TEST(HiddenFactor, TheLoadingsAreWhatTheGraphLeaves) {
  Matrix Lambda(6, 2);
  for (Eigen::Index j = 0; j < 6; ++j) Lambda.row(j) << 0.5, 0.2 * double(j) - 0.5;
  const Vector units = Vector::LinSpaced(6, 1, 3);
  Matrix W = Matrix::Identity(6, 6) - Matrix((Lambda * Lambda.transpose()).diagonal().asDiagonal());
  W(0, 1) = W(1, 0) = 0.1;
  Candidate candidate;
  const Matrix S = units.asDiagonal() * (W + Lambda * Lambda.transpose()) * units.asDiagonal();
  candidate.estimate.W = units.asDiagonal() * W * units.asDiagonal();
  EXPECT_EQ(hidden_loadings(candidate, S).size(), 0);
  candidate.estimate.factors = HiddenFactors{.count = 2};
  candidate.predicts = make_method("oas", builtin_models());
  const Matrix found = hidden_loadings(candidate, S);
  EXPECT_LT((found * found.transpose() - Lambda * Lambda.transpose()).norm(), 1e-12);
}

TEST(HiddenFactor, SharesOfAKnownCovariance) {
  const double r = 0.5;
  const Matrix S = (1 - r) * Matrix::Identity(8, 8) + r * Matrix::Ones(8, 8);
  const LeadingShares shares = leading_shares(4 * S);
  EXPECT_NEAR(shares.first, (1 + 7 * r) / 8, 1e-12);
  EXPECT_NEAR(shares.second, (1 - r) / 8, 1e-12);
  EXPECT_NEAR(shares.variables, 1, 1e-12);
}

}  // namespace
}  // namespace spodnet::test
