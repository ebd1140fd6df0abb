#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "spodnet/core/random.hpp"

namespace spodnet {

/// A pair of variables, i < j.
struct Edge {
  std::uint32_t i = 0, j = 0;
  auto operator<=>(const Edge&) const = default;
};

/// Each pair at most once, in increasing order.
using Edges = std::vector<Edge>;

// Random graphs of p variables. `density` in [0, 1] is the expected share of the p (p - 1) / 2
// pairs that are edges; each takes O(p^2) time and memory at most.

/// E = density p (p - 1) / 2, rounded up or down at random so that its mean is exact.
std::size_t draw_edge_count(std::size_t p, double density, RandomStream& random);

/// Each pair is an edge with probability `density`, independently.
Edges erdos_renyi_graph(std::size_t p, double density, RandomStream& random);

/// E pairs drawn without replacement, each with odds w_i w_j, w_i = (i + 1)^{-decay}: few variables
/// have many edges, degrees follow a power law with exponent 1 + 1 / decay (3, that of preferential
/// attachment, unless said otherwise; the nearer to 2, the larger the largest degrees).
Edges scale_free_graph(std::size_t p, double density, RandomStream& random, double decay = 0.5);

/// Watts and Strogatz: E edges between nearest neighbours on a ring, of which each moves one end to
/// a random variable with probability `rewired`. High clustering and short paths.
Edges small_world_graph(std::size_t p, double density, RandomStream& random, double rewired = 0.1);

/// E edges that all touch one of the first h variables, the hubs; each other variable is linked to
/// its own hub before any second link. h = p / 20, at least 1, and more where E needs them.
Edges hub_graph(std::size_t p, double density, RandomStream& random);

/// Clusters of consecutive variables, of random sizes; E edges, all inside clusters (fewer where
/// they have no room). As many clusters as make half to all of their pairs edges.
Edges block_graph(std::size_t p, double density, RandomStream& random);

/// Variables on a square grid: the E pairs that are nearest there, four neighbours first; of pairs
/// equally far apart, random ones.
Edges grid_graph(std::size_t p, double density, RandomStream& random);

/// Variables at random places of the unit square: the E nearest pairs.
Edges plane_graph(std::size_t p, double density, RandomStream& random);

/// A random recursive tree, of which E edges are kept: at most p - 1, and no cycle.
Edges tree_graph(std::size_t p, double density, RandomStream& random);

/// Bandwidth b >= 1 (0 for p = 1) of a band matrix of about this density: the mean of the pairs
/// with j - i <= b is density p (p - 1) / 2, where that is at least p - 1.
std::size_t draw_bandwidth(std::size_t p, double density, RandomStream& random);

}  // namespace spodnet
