#include "spodnet/generate/random_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace spodnet {
namespace {

using Graph = std::function<Edges(std::size_t, double, RandomStream&)>;

Edges small_world(std::size_t p, double density, RandomStream& random) {
  return small_world_graph(p, density, random);
}

Edges scale_free(std::size_t p, double density, RandomStream& random) {
  return scale_free_graph(p, density, random);
}

Edges power_law(std::size_t p, double density, RandomStream& random) {
  return scale_free_graph(p, density, random, 1);
}

const Graph kGraphs[] = {erdos_renyi_graph, scale_free,  power_law,  small_world,
                         hub_graph,         block_graph, grid_graph, plane_graph};

std::vector<double> degrees(std::size_t p, const Edges& edges) {
  std::vector<double> degree(p);
  for (const Edge& e : edges) ++degree[e.i], ++degree[e.j];
  return degree;
}

double pairs(std::size_t p) { return 0.5 * double(p) * double(p - 1); }

/// Mean share of pairs of neighbours that are neighbours themselves, over variables with two.
double clustering(std::size_t p, const Edges& edges) {
  std::vector<std::vector<char>> linked(p, std::vector<char>(p));
  for (const Edge& e : edges) linked[e.i][e.j] = linked[e.j][e.i] = 1;
  double sum = 0, variables = 0;
  for (std::size_t i = 0; i < p; ++i) {
    double both = 0, all = 0;
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k < j; ++k)
        if (linked[i][j] && linked[i][k]) ++all, both += linked[j][k];
    if (all > 0) sum += both / all, ++variables;
  }
  return sum / variables;
}

TEST(RandomGraph, EdgesAreOrderedPairsEachOnce) {
  for (const Graph& graph : kGraphs)
    for (std::size_t p : {1, 2, 3, 7, 30})
      for (double density : {0.0, 0.02, 0.3, 0.9, 1.0}) {
        RandomStream random(3, p);
        const Edges edges = graph(p, density, random);
        EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
        EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
        for (const Edge& e : edges) EXPECT_TRUE(e.i < e.j && e.j < p);
        if (density == 0 || density == 1) {
          EXPECT_EQ(double(edges.size()), density * pairs(p));
        }
      }
}

TEST(RandomGraph, MeanShareOfEdgesIsTheDensity) {
  const std::size_t p = 24, count = 400;
  for (double density : {0.013, 0.1, 0.4})
    for (std::size_t g = 0; g < std::size(kGraphs); ++g) {
      double edges = 0;
      for (std::uint64_t k = 0; k < count; ++k) {
        RandomStream random(g, k);
        edges += double(kGraphs[g](p, density, random).size()) / double(count);
      }
      const double deviation = std::sqrt(density * pairs(p) / double(count));
      EXPECT_NEAR(edges, density * pairs(p), 5 * deviation) << "graph " << g;
    }
}

TEST(RandomGraph, ErdosRenyiDegreesAreBinomial) {
  const std::size_t p = 60, count = 200;
  const double density = 0.2, mean = density * double(p - 1);
  double sum = 0, squares = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    RandomStream random(5, k);
    for (const double d : degrees(p, erdos_renyi_graph(p, density, random)))
      sum += d, squares += (d - mean) * (d - mean);
  }
  const double draws = double(p * count);
  EXPECT_NEAR(sum / draws, mean, 0.15);
  EXPECT_NEAR(squares / draws, mean * (1 - density), 0.5);
}

/// Mean degree of each variable over `count` scale-free graphs.
std::vector<double> mean_degrees(std::size_t p, double density, double decay, std::size_t count) {
  std::vector<double> degree(p);
  for (std::uint64_t k = 0; k < count; ++k) {
    RandomStream random(7, k);
    const std::vector<double> one = degrees(p, scale_free_graph(p, density, random, decay));
    for (std::size_t i = 0; i < p; ++i) degree[i] += one[i] / double(count);
  }
  return degree;
}

TEST(RandomGraph, ScaleFreeDegreesFollowThePowerLaw) {
  // Expected degrees ~ (i + 1)^{-a}: P(degree >= k) ~ k^{-1/a}, the exponent 1 + 1/a of the
  // density.
  const std::size_t p = 400;
  for (const double decay : {0.5, 0.8}) {
    const std::vector<double> degree = mean_degrees(p, 0.005, decay, 120);
    const auto mean = [&](std::size_t first, std::size_t last) {
      return std::accumulate(degree.begin() + std::ptrdiff_t(first),
                             degree.begin() + std::ptrdiff_t(last), 0.0) /
             double(last - first);
    };
    for (const auto& [near, far] :
         {std::pair(10u, 90u), std::pair(20u, 180u), std::pair(30u, 270u)}) {
      const double slope = std::log(mean(far - far / 10, far + far / 10) /
                                    mean(near - near / 10, near + near / 10)) /
                           std::log(9.0);
      EXPECT_NEAR(slope, -decay, 0.08) << near << " to " << far;
    }
    EXPECT_GT(degree[0], 6 * mean(p / 2, p));
  }
}

TEST(RandomGraph, SmallWorldIsARingWithShortcuts) {
  const std::size_t p = 100;
  RandomStream random(1, 0), again(1, 1), other(1, 2);
  const double density = 6.0 / double(p - 1);  // three neighbours on each side
  for (const Edge& e : small_world_graph(p, density, random, 0.0))
    EXPECT_LE(std::min(e.j - e.i, std::uint32_t(p) - (e.j - e.i)), 3u);
  const Edges edges = small_world_graph(p, density, again);
  double shortcuts = 0;
  for (const Edge& e : edges) shortcuts += std::min(e.j - e.i, std::uint32_t(p) - (e.j - e.i)) > 3;
  EXPECT_NEAR(shortcuts / double(edges.size()), 0.1, 0.06);
  EXPECT_NEAR(clustering(p, small_world_graph(p, density, random, 0.0)), 0.6, 1e-12);
  EXPECT_GT(clustering(p, edges), 0.35);
  EXPECT_LT(clustering(p, erdos_renyi_graph(p, density, other)), 0.15);
}

TEST(RandomGraph, HubsTouchEveryEdge) {
  for (const auto& [p, density, hubs] : {std::tuple(100u, 0.019, 5u), std::tuple(100u, 0.06, 5u),
                                         std::tuple(20u, 0.05, 1u), std::tuple(20u, 0.5, 6u)}) {
    RandomStream random(2, p);
    const Edges edges = hub_graph(p, density, random);
    for (const Edge& e : edges) EXPECT_LT(e.i, hubs);
    const std::vector<double> degree = degrees(p, edges);
    const double of_hubs = std::accumulate(degree.begin(), degree.begin() + hubs, 0.0);
    EXPECT_GT(of_hubs / hubs, 3 * (2 * double(edges.size()) - of_hubs) / double(p - hubs));
  }
  RandomStream random(2, 0);
  const std::vector<double> degree = degrees(100, hub_graph(100, 95 / pairs(100), random));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(degree[i], i < 5 ? 19 : 1);  // five stars
}

TEST(RandomGraph, BlocksAreDenseInsideAndApartFromEachOther) {
  for (std::uint64_t k = 0; k < 50; ++k) {
    const std::size_t p = 80;
    RandomStream random(4, k);
    const Edges edges = block_graph(p, 0.1, random);
    std::vector<std::uint32_t> reach(p);  // of the intervals that edges span
    std::iota(reach.begin(), reach.end(), 0u);
    for (const Edge& e : edges) reach[e.i] = std::max(reach[e.i], e.j);
    double inside = 0, blocks = 0;
    for (std::size_t first = 0, last = 0; first < p; first = last + 1, ++blocks) {
      last = first;
      for (std::size_t i = first; i <= last; ++i) last = std::max<std::size_t>(last, reach[i]);
      inside += pairs(last - first + 1);
    }
    EXPECT_GE(blocks, 3);
    EXPECT_GT(double(edges.size()) / inside, 0.35);
  }
}

TEST(RandomGraph, BandwidthMeetsTheDensity) {
  const std::size_t p = 30, count = 3000;
  for (double density : {0.1, 0.25, 0.7}) {
    double edges = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      RandomStream random(6, k);
      const std::size_t b = draw_bandwidth(p, density, random);
      for (std::size_t lag = 1; lag <= b; ++lag) edges += double(p - lag) / double(count);
    }
    EXPECT_NEAR(edges / pairs(p), density, 0.003);
  }
  RandomStream random(6, 0);
  EXPECT_EQ(draw_bandwidth(1, 0.5, random), 0u);
  EXPECT_EQ(draw_bandwidth(30, 0.0, random), 1u);
  EXPECT_EQ(draw_bandwidth(30, 1.0, random), 29u);
}

TEST(RandomGraph, AGridHasFourNeighbours) {
  RandomStream random(3);
  const std::size_t width = 8, p = width * width, all = 2 * width * (width - 1);
  const Edges edges = grid_graph(p, double(all) / pairs(p), random);
  std::size_t neighbours = 0;
  for (const Edge& e : edges) neighbours += e.j - e.i == width || (e.j - e.i == 1 && e.j % width);
  EXPECT_EQ(neighbours, edges.size());
  EXPECT_GE(edges.size() + 1, all);
}

TEST(RandomGraph, NearPairsOfThePlaneHaveCommonNeighbours) {
  RandomStream random(4);
  EXPECT_GT(clustering(60, plane_graph(60, 0.1, random)), 0.4);
}

TEST(RandomGraph, ATreeIsConnectedAndAForestHasNoCycle) {
  RandomStream random(5);
  for (const double density : {0.02, 0.5}) {
    const std::size_t p = 40;
    const Edges edges = tree_graph(p, density, random);
    EXPECT_NEAR(double(edges.size()), std::min(density * pairs(p), double(p - 1)), 1);
    std::vector<std::uint32_t> root(p);
    std::iota(root.begin(), root.end(), 0u);
    for (const Edge& e : edges) {
      const std::uint32_t a = root[e.i], b = root[e.j];
      EXPECT_NE(a, b) << "a cycle";
      for (std::uint32_t& r : root) r = r == b ? a : r;
    }
  }
}

}  // namespace
}  // namespace spodnet
