#include "spodnet/workflow/stable_edges.hpp"

#include <gtest/gtest.h>

#include "spodnet/core/random.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/workflow/analyse.hpp"

namespace spodnet::test {
namespace {

/// Edges with full support are true, the others are not.
Reliability full_support_is_true(bool hidden) {
  Reliability out;
  for (int k = 0; k < 200; ++k) out.observations.push_back({k < 100 ? 0.5 : 1.0, k >= 100});
  out.data_sets = 1, out.hidden = hidden;
  fit_chances(out);
  return out;
}

TEST(StableEdges, ThoseThatFactorsLeaveAreKept) {
  const std::vector<double> supports{1, 1, 0.5, 1, 1, 1, 1, 1, 1};
  std::vector<bool> kept(9, true);
  kept[1] = kept[2] = kept[3] = kept[4] = false;  // three of eight that are sure
  for (const bool hidden : {false, true}) {
    const StableEdges found = stable_edges(full_support_is_true(hidden), supports, kept, 0.1);
    EXPECT_EQ(found.sure, 8u);
    EXPECT_EQ(found.fallen, 3u);
    EXPECT_EQ(found.stable, (std::vector<bool>{1, 0, 0, 0, 0, 1, 1, 1, 1}));
  }
}

TEST(StableEdges, ThoseThatTheDataCannotTellAreNotCounted) {
  const std::vector<double> supports{1, 1, 0.5};
  const StableEdges found = stable_edges(full_support_is_true(false), supports,
                                         std::vector<bool>(3, true), 0.1, {true, false, false});
  EXPECT_EQ(found.sure, 1u);
  EXPECT_EQ(found.doubtful, 1u);
  EXPECT_EQ(found.stable, (std::vector<bool>{0, 1, 0}));
}

TEST(StableEdges, ThoseNearTheLimitAreCountedWithTheResamplesThatSettleThem) {
  StableEdges found;
  found.sure = 2, found.threshold = 0.9;
  // The limit is 0.85: 0.9 is settled by 4 * 0.09 / 0.0025 resamples, 0.8 by 4 * 0.16 / 0.0025.
  const std::vector<double> supports{0.99, 0.9, 0.8, 0.1};
  const Unsettled few = unsettled_edges(found, supports, {}, 100);
  EXPECT_EQ(few.edges, 2u);
  EXPECT_EQ(few.resamples, 256u);
  EXPECT_EQ(unsettled_edges(found, supports, {}, 200).edges, 1u);
  EXPECT_EQ(unsettled_edges(found, supports, {}, 300).edges, 0u);
  // A doubtful edge is on neither side: then the limit lies between 0.9 and 0.1.
  EXPECT_EQ(unsettled_edges(found, supports, {false, false, true, false}, 100).edges, 0u);
}

/// A grid of 16 variables, no hidden factor: its links are found and stay.
TEST(StableEdges, ASparseGraphKeepsThem) {
  std::size_t links = 0, stable = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Matrix Theta = Matrix::Identity(16, 16);
    for (Eigen::Index i = 0; i < 16; ++i)
      for (const Eigen::Index j : {i + 1, i + 4})
        if (j < 16 && (j - i == 4 || j % 4 != 0)) Theta(i, j) = Theta(j, i) = -0.18, ++links;
    RandomStream random(31, seed);
    const Matrix X = sample_gaussian(Theta, 300, random);
    AnalysisOptions options;
    options.resamples = 200;
    options.stable = 0.1;
    ThreadPool pool(2);
    const Answer answer = analyse(prepare_samples({{}, {}, X}, {}, "t"), options, {.pool = pool});
    for (const AnswerEdge& edge : answer.edges)
      stable += edge.confidence->stable && Theta(Eigen::Index(edge.i), Eigen::Index(edge.j)) != 0;
  }
  EXPECT_GT(stable, links / 3);
}

}  // namespace
}  // namespace spodnet::test
