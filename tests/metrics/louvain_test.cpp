#include "spodnet/metrics/louvain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/metrics/modularity.hpp"

namespace spodnet {
namespace {

using Labels = std::vector<std::uint32_t>;

Matrix random_weights(Eigen::Index p, double share, RandomStream& random) {
  Matrix A = Matrix::Zero(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (random.uniform() < share) A(i, j) = A(j, i) = random.uniform(-1, 1);
  return A;
}

/// Every partition of `size` nodes once, as labels by first appearance.
void for_each_partition(std::size_t size, const std::function<void(const Labels&)>& visit) {
  Labels labels(size, 0);
  const std::function<void(std::size_t, std::uint32_t)> extend = [&](std::size_t u,
                                                                     std::uint32_t used) {
    if (u == size) return visit(labels);
    for (std::uint32_t c = 0; c <= used; ++c) {
      labels[u] = c;
      extend(u + 1, std::max(used, c + 1));
    }
  };
  extend(0, 0);
}

/// Q = (1/2m) sum_ij [A_ij - k_i k_j / 2m] delta(c_i, c_j), A_ii being twice the loop of i.
double modularity_from_definition(const WeightedGraph& graph, const Labels& community) {
  const auto size = Eigen::Index(graph.size());
  Matrix A = Matrix::Zero(size, size);
  for (Eigen::Index u = 0; u < size; ++u) {
    A(u, u) = 2 * graph.loops[u];
    for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e)
      A(u, graph.links[e].node) += graph.links[e].weight;
  }
  const Vector k = A.rowwise().sum();
  const double two_m = k.sum();
  double Q = 0;
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      if (community[i] == community[j]) Q += A(i, j) / two_m - (k[i] / two_m) * (k[j] / two_m);
  return Q;
}

double best_modularity(const WeightedGraph& graph) {
  double best = -1;
  for_each_partition(graph.size(), [&](const Labels& labels) {
    best = std::max(best, modularity_from_definition(graph, labels));
  });
  return best;
}

/// `cliques` complete graphs of `size` nodes, each joined to the next by one edge.
Matrix chain_of_cliques(Eigen::Index cliques, Eigen::Index size) {
  Matrix A = Matrix::Zero(cliques * size, cliques * size);
  for (Eigen::Index c = 0; c < cliques; ++c) {
    A.block(c * size, c * size, size, size).setOnes();
    if (c > 0) A(c * size, c * size - 1) = A(c * size - 1, c * size) = 1;
  }
  return A;
}

Matrix karate_club() {  // Zachary (1977): 34 members, 78 ties
  const std::vector<std::pair<int, std::vector<int>>> ties = {
      {0, {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31}},
      {1, {2, 3, 7, 13, 17, 19, 21, 30}},
      {2, {3, 7, 8, 9, 13, 27, 28, 32}},
      {3, {7, 12, 13}},
      {4, {6, 10}},
      {5, {6, 10, 16}},
      {6, {16}},
      {8, {30, 32, 33}},
      {9, {33}},
      {13, {33}},
      {14, {32, 33}},
      {15, {32, 33}},
      {18, {32, 33}},
      {19, {33}},
      {20, {32, 33}},
      {22, {32, 33}},
      {23, {25, 27, 29, 32, 33}},
      {24, {25, 27, 31}},
      {25, {31}},
      {26, {29, 33}},
      {27, {33}},
      {28, {31, 33}},
      {29, {32, 33}},
      {30, {32, 33}},
      {31, {32, 33}},
      {32, {33}}};
  Matrix A = Matrix::Zero(34, 34);
  for (const auto& [u, others] : ties)
    for (const int v : others) A(u, v) = A(v, u) = 1;
  return A;
}

TEST(Louvain, NeverAboveAndAlmostAlwaysAtTheBruteForceOptimum) {
  RandomStream random(3, 0);
  int reached = 0;
  const int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    const WeightedGraph graph = graph_of(random_weights(7, 0.45, random));
    const double best = best_modularity(graph);
    const Communities found = louvain(graph, {.restarts = 20, .seed = 1});
    EXPECT_LE(found.modularity, best + 1e-12);
    EXPECT_GE(found.modularity, best - 0.05);
    EXPECT_NEAR(found.modularity, modularity_from_definition(graph, found.community), 1e-12);
    reached += found.modularity > best - 1e-12;
  }
  EXPECT_GE(reached, trials * 9 / 10);
}

TEST(Louvain, CliquesJoinedByAnEdge) {
  const Communities two = louvain(graph_of(chain_of_cliques(2, 5)));
  EXPECT_EQ(two.count, 2u);
  EXPECT_EQ(two.community, (Labels{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_NEAR(two.modularity, 2 * (10.0 / 21 - 0.25), 1e-12);  // 21 edges, K_c = 21 of 42
  const Communities ten = louvain(graph_of(chain_of_cliques(10, 6)));
  EXPECT_EQ(ten.count, 10u);
  for (std::uint32_t u = 0; u < 60; ++u) EXPECT_EQ(ten.community[u], u / 6);
}

TEST(Louvain, KarateClub) {
  const WeightedGraph graph = graph_of(karate_club());
  EXPECT_EQ(graph.total_weight(), 78);
  const Communities found = louvain(graph, {.restarts = 50});
  EXPECT_EQ(found.count, 4u);
  EXPECT_NEAR(found.modularity, 0.4197896, 1e-7);
  EXPECT_GT(louvain(graph).modularity, 0.415);
}

TEST(Louvain, MoreRestartsAreNeverWorse) {
  RandomStream random(8, 0);
  const WeightedGraph graph = graph_of(random_weights(60, 0.1, random));
  double last = -1;
  for (int restarts : {1, 2, 5, 20, 50}) {
    const double Q = louvain(graph, {.restarts = restarts, .seed = 4}).modularity;
    EXPECT_GE(Q, last);
    last = Q;
  }
}

TEST(Louvain, NoMergeOfTwoCommunitiesImprovesTheResult) {
  RandomStream random(9, 0);
  for (int trial = 0; trial < 5; ++trial) {
    const WeightedGraph graph = graph_of(random_weights(25, 0.2, random));
    const Communities found = louvain(graph, {.restarts = 20});
    for (std::uint32_t a = 0; a < found.count; ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        Labels merged = found.community;
        std::replace(merged.begin(), merged.end(), a, b);
        EXPECT_LE(modularity(graph, merged), found.modularity + 1e-7);
      }
  }
}

TEST(Louvain, SameForOneSeedAndAnyScaleOfWeights) {
  RandomStream random(10, 0);
  const Matrix A = random_weights(40, 0.15, random);
  const Communities found = louvain(graph_of(A), {.seed = 3});
  EXPECT_EQ(louvain(graph_of(A), {.seed = 3}).community, found.community);
  for (double scale : {1e-200, 1e200}) {
    const Communities other = louvain(graph_of(scale * A), {.seed = 3});
    EXPECT_NEAR(other.modularity, found.modularity, 1e-12);
  }
}

TEST(Louvain, IsolatedNodesStayAlone) {
  Matrix A = Matrix::Zero(9, 9);
  A.topLeftCorner(6, 6) = chain_of_cliques(2, 3);
  const Communities found = louvain(graph_of(A));
  EXPECT_EQ(found.community, (Labels{0, 0, 0, 1, 1, 1, 2, 3, 4}));
  EXPECT_EQ(found.count, 5u);
}

TEST(Louvain, GraphsWithoutEdges) {
  for (Eigen::Index p : {0, 1, 4}) {
    const Communities found = louvain(graph_of(Matrix::Identity(p, p)));
    EXPECT_EQ(found.count, std::size_t(p));
    EXPECT_EQ(found.modularity, 0);
    EXPECT_EQ(found.community.size(), std::size_t(p));
  }
  EXPECT_THROW(louvain(graph_of(Matrix::Identity(2, 2)), {.restarts = 0}), Error);
}

TEST(Louvain, ANodePullsItsStrongNeighbour) {
  Matrix A = Matrix::Zero(4, 4);
  A(0, 1) = A(1, 0) = 5;
  A(2, 3) = A(3, 2) = 5;
  A(1, 2) = A(2, 1) = 1;
  EXPECT_EQ(louvain(graph_of(A)).community, (Labels{0, 0, 1, 1}));
}

TEST(Modularity, TwoFormsAgreeOnEveryPartition) {
  RandomStream random(2, 0);
  WeightedGraph graph = graph_of(random_weights(6, 0.6, random));
  graph.loops[2] = 0.7;
  for_each_partition(6, [&](const Labels& labels) {
    EXPECT_NEAR(modularity(graph, labels), modularity_from_definition(graph, labels), 1e-13);
  });
}

TEST(Modularity, MergingNodesIntoLoopsKeepsIt) {
  // The triangle 0-1-2 with tail 2-3, then {0,1,2} as one node with a loop of weight 3.
  Matrix A = Matrix::Zero(4, 4);
  for (auto [i, j] : {std::pair{0, 1}, {1, 2}, {0, 2}, {2, 3}}) A(i, j) = A(j, i) = 1;
  WeightedGraph merged = graph_of(Matrix::Ones(2, 2));
  merged.loops[0] = 3;
  EXPECT_NEAR(modularity(merged, Labels{0, 1}), modularity(graph_of(A), Labels{0, 0, 0, 1}), 1e-15);
}

TEST(Modularity, KnownValues) {
  const WeightedGraph cliques = graph_of(chain_of_cliques(2, 3));
  EXPECT_NEAR(modularity(cliques, Labels{0, 0, 0, 1, 1, 1}), 2 * (3.0 / 7 - 0.25), 1e-15);
  EXPECT_NEAR(modularity(cliques, Labels(6, 0)), 0, 1e-15);  // all in one
  const WeightedGraph pair = graph_of(Matrix::Ones(2, 2));
  EXPECT_NEAR(modularity(pair, Labels{0, 1}), -0.5, 1e-15);  // the least possible
  EXPECT_EQ(modularity(graph_of(Matrix::Zero(3, 3)), Labels{0, 1, 2}), 0);
}

TEST(Modularity, RefusesBadLabels) {
  const WeightedGraph graph = graph_of(Matrix::Ones(3, 3));
  EXPECT_THROW(modularity(graph, Labels{0, 1}), Error);
  EXPECT_THROW(modularity(graph, Labels{0, 1, 3}), Error);
}

TEST(Graph, WeightsDegreesAndThreshold) {
  Matrix Theta(3, 3);
  Theta << 9, -2, 0.1, -2, 9, 0, 0.1, 0, 9;
  const WeightedGraph graph = graph_of(Theta);
  EXPECT_EQ(graph.size(), 3u);
  EXPECT_EQ(graph.links.size(), 4u);
  EXPECT_DOUBLE_EQ(graph.degree(0), 2.1);
  EXPECT_DOUBLE_EQ(graph.total_weight(), 2.1);
  const WeightedGraph cut = graph_of(Theta, {.threshold = 0.1});  // strictly above
  EXPECT_EQ(cut.links.size(), 2u);
  EXPECT_EQ(cut.degree(2), 0);
  EXPECT_THROW(graph_of(Matrix::Zero(2, 3)), Error);
  EXPECT_THROW(graph_of(Matrix::Constant(2, 2, NAN)), Error);
  EXPECT_THROW(graph_of(Theta, {.threshold = -1}), Error);
}

}  // namespace
}  // namespace spodnet
