#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/metrics/graph.hpp"

namespace spodnet {

struct LouvainOptions {
  int restarts = 10;        ///< independent runs, of which the best is returned
  std::uint64_t seed = 0;   ///< run r visits the nodes in orders drawn from stream (seed, r)
  double threshold = 1e-7;  ///< merging goes on while a level raises Q by more than this
};

struct Communities {
  std::vector<std::uint32_t> community;  ///< label of each node: 0, 1, ... by first appearance
  std::size_t count = 0;
  double modularity = 0;
};

/// Communities of large modularity by the Louvain method. Starting from singletons, each node moves
/// to the neighbouring community C of largest gain w(u,C)/m - k_u K_C/(2 m^2) if that is strictly
/// better than staying; when no node moves, communities become nodes, and so on. Isolated nodes
/// stay alone; without edges everyone is alone and the modularity 0. The same graph, seed and
/// restarts give the same answer; weights may be scaled by any factor. Cost: about
/// restarts * 10 * edges.
Communities louvain(const WeightedGraph& graph, const LouvainOptions& options = {});

}  // namespace spodnet
