// Negating columns of a table changes signs of the answer and nothing else, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/workflow/analyse.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

/// Items that share a factor, and links between neighbours; from 1 to `levels`, as they are (0), or
/// with heavy tails (-1).
Matrix drawn_items(Eigen::Index n, Eigen::Index p, int levels, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double f = random.normal();
    double last = 0;
    for (Eigen::Index j = 0; j < p; ++j) X(i, j) = last = 0.6 * f + 0.5 * last + random.normal();
  }
  if (levels > 0)
    for (double& x : X.reshaped())
      x = std::min(double(levels), 1 + std::floor(0.5 * levels * std::exp(0.5 * x - 0.4)));
  if (levels < 0) X = (1.5 * X).array().sinh();
  return X;
}

Answer analysed(const Matrix& X, const PrepareOptions& prepare, const AnalysisOptions& options) {
  ThreadPool pool(2);
  return analyse(prepare_samples({{}, {}, X}, prepare, "test"), options, {.pool = pool});
}

/// All that does not depend on the seconds.
std::string words_of(const Answer& answer) {
  std::string text = answer.method + "\n" + answer.stable_check;
  for (const AnswerNote& note : answer.notes) text += note.text + "\n";
  for (const AnswerCandidate& each : answer.candidates) text += each.method + each.note + "\n";
  return text;
}

void expect_recoded(const Answer& given, const Answer& other, const Vector& signs) {
  EXPECT_EQ(words_of(other), words_of(given));
  EXPECT_EQ(signs.asDiagonal() * other.Theta * signs.asDiagonal(), given.Theta);
  EXPECT_EQ(signs.asDiagonal() * other.W * signs.asDiagonal(), given.W);
  EXPECT_EQ(other.community, given.community);
  ASSERT_EQ(other.edges.size(), given.edges.size());
  for (std::size_t e = 0; e < given.edges.size(); ++e) {
    const AnswerEdge &a = given.edges[e], &b = other.edges[e];
    ASSERT_EQ(std::pair(a.i, a.j), std::pair(b.i, b.j));
    EXPECT_EQ(a.confidence->share, b.confidence->share);
    EXPECT_EQ(a.confidence->sign_agreement, b.confidence->sign_agreement);
    EXPECT_EQ(a.confidence->stable, b.confidence->stable);
    const bool turned = signs[Eigen::Index(a.i)] != signs[Eigen::Index(a.j)];
    EXPECT_EQ(a.confidence->low, turned ? -b.confidence->high : b.confidence->low);
  }
  for (std::size_t k = 0; k < given.candidates.size(); ++k) {
    const double a = given.candidates[k].held_out, b = other.candidates[k].held_out;
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << given.candidates[k].method;
    EXPECT_EQ(given.candidates[k].edges, other.candidates[k].edges);
  }
}

struct Case {
  const char* name;
  Eigen::Index p;
  int levels;
  PrepareOptions prepare;
};

class Recoding : public ::testing::TestWithParam<Case> {};

TEST_P(Recoding, FlipsSignsAndNothingElse) {
  const Case& each = GetParam();
  const Matrix X = drawn_items(160, each.p, each.levels, 3);
  const AnalysisOptions options{.resamples = 20, .stable = 0.2};
  const Answer given = analysed(X, each.prepare, options);
  RandomStream random(4);
  Vector signs(each.p);
  for (double& s : signs) s = random.below(2) == 0 ? -1 : 1;
  const Matrix other = X * signs.asDiagonal();
  expect_recoded(given, analysed(other, each.prepare, options), signs);
}

INSTANTIATE_TEST_SUITE_P(
    Tables, Recoding,
    ::testing::Values(Case{"gaussian", 12, 0, {}}, Case{"few", 6, 0, {}},
                      Case{"levels", 12, 4, {.kind = TableKind::automatic}},
                      Case{"heavy", 8, -1, {.kind = TableKind::automatic}},
                      Case{"kendall", 8, 0, {.ranks = RankCorrelation::kendall}},
                      Case{"spearman", 8, 0, {.ranks = RankCorrelation::spearman}},
                      Case{"mixed", 10, 0, {.kind = TableKind::ranks}}),
    [](const auto& each) { return each.param.name; });

TEST(HeavyTails, AreTakenByTheirRanks) {
  const Matrix X = drawn_items(160, 8, 0, 7);
  const Answer of_ranks = analysed(X, {.kind = TableKind::ranks}, {.resamples = 10});
  const Answer heavy =
      analysed((3 * X).array().exp(), {.kind = TableKind::automatic}, {.resamples = 10});
  EXPECT_EQ(heavy.partial, of_ranks.partial);
  EXPECT_EQ(heavy.kinds, std::vector<std::string>(8, "ranks"));
  for (std::size_t e = 0; e < heavy.edges.size(); ++e)
    EXPECT_EQ(heavy.edges[e].confidence->share, of_ranks.edges[e].confidence->share);
}

TEST(Reordering, ChangesNothingButRounding) {
  const Matrix X = drawn_items(160, 11, 0, 5);
  const std::vector<Eigen::Index> order = {4, 0, 10, 2, 7, 1, 9, 3, 8, 6, 5};
  const Answer given = analysed(X, {}, {}), other = analysed(X(Eigen::all, order), {}, {});
  EXPECT_EQ(other.method, given.method);
  EXPECT_LT((Matrix(given.partial(order, order)) - other.partial).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_EQ(Matrix(given.partial(order, order)).array().sign().matrix(),
            other.partial.array().sign().matrix());
}

TEST(Units, ChangeNothingButRounding) {
  const Matrix X = drawn_items(160, 11, 0, 6);
  const Vector unit = Vector::LinSpaced(11, 0.01, 300);
  const Answer given = analysed(X, {}, {}), other = analysed(X * unit.asDiagonal(), {}, {});
  EXPECT_EQ(other.method, given.method);
  EXPECT_LT((given.partial - other.partial).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_EQ(given.partial.array().sign().matrix(), other.partial.array().sign().matrix());
}

}  // namespace
}  // namespace spodnet::test
