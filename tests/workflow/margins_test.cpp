#include "spodnet/workflow/margins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/random.hpp"

namespace spodnet::test {
namespace {

/// Independent columns of which all but a few rows have the same of four levels.
Matrix rare_levels(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (double& x : X.reshaped()) {
    const double u = random.uniform();
    x = 1 + (u > 0.95) + (u > 0.98) + (u > 0.99);
  }
  return X;
}

Matrix normal_rows(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  return X;
}

Margins margins_of_table(const Matrix& X, TableKind kind = TableKind::automatic) {
  const Prepared data = prepare_samples({{}, {}, X}, {.kind = kind}, "t");
  ThreadPool pool(1);
  const AnalysisOptions options;
  return margins_of(begin_analysis(data, options, {.pool = pool}));
}

TEST(Margins, AreThoseOfUnevenLevelsAndHeavyTails) {
  EXPECT_TRUE(margins_of_table(normal_rows(200, 4, 1)).gaussian());
  const Margins even = margins_of_table(normal_rows(200, 4, 1).array().round().cwiseMax(-1));
  EXPECT_TRUE(even.gaussian());
  Matrix X = normal_rows(200, 4, 1);
  X.col(2) = (1.5 * X.col(2)).array().exp();
  EXPECT_TRUE(margins_of_table(X).gaussian());  // by ranks
  const Margins heavy = margins_of_table(X, TableKind::gaussian);
  ASSERT_FALSE(heavy.gaussian());
  EXPECT_TRUE(heavy.values[0].empty());
  EXPECT_EQ(heavy.values[2].size(), 200u);
  EXPECT_TRUE(heavy.kinds.empty());
  EXPECT_EQ(heavy.rows, 200u);
  EXPECT_FALSE(heavy.by_error());
  const Margins levels = margins_of_table(rare_levels(400, 3, 2));
  ASSERT_FALSE(levels.gaussian());
  EXPECT_EQ(levels.kinds, std::vector<ColumnKind>(3, ColumnKind::ordinal));
  EXPECT_NEAR(double(levels.rows), 400, 20);
  EXPECT_TRUE(levels.by_error());
}

TEST(Margins, SyntheticRowsHaveTheValuesInTheirOwnOrder) {
  const Matrix X = rare_levels(300, 3, 5), Z = normal_rows(300, 3, 6);
  Margins margins;
  margins.rows = 300;
  for (Eigen::Index j = 0; j < 3; ++j) {
    margins.values.emplace_back(X.col(j).begin(), X.col(j).end());
    std::sort(margins.values.back().begin(), margins.values.back().end());
  }
  const Matrix Y = with_margins(margins, Z, true).Y;
  for (Eigen::Index j = 0; j < 3; ++j) {
    std::vector<double> seen(Y.col(j).begin(), Y.col(j).end());
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, margins.values[std::size_t(j)]);
    for (Eigen::Index i = 1; i < 300; ++i) EXPECT_FALSE(Z(i, j) > Z(0, j) && Y(i, j) < Y(0, j));
  }
}

/// Four levels, 95 % of the answers the first, nothing depends on anything: shares of 100 % are
/// what chance gives here.
TEST(Margins, RareLevelsMakeNoStableEdges) {
  ThreadPool pool(2);
  const Prepared data =
      prepare_samples({{}, {}, rare_levels(800, 10, 4)}, {.kind = TableKind::automatic}, "t");
  EXPECT_FALSE(data.doubtful.empty());
  AnalysisOptions options;
  options.resamples = 60;
  options.stable = 0.1;
  const Answer answer = analyse(data, options, {.pool = pool});
  EXPECT_GT(answer.edges.size(), 5u);
  EXPECT_EQ(std::count_if(answer.edges.begin(), answer.edges.end(),
                          [](const AnswerEdge& edge) { return edge.confidence->stable; }),
            0);
}

}  // namespace
}  // namespace spodnet::test
