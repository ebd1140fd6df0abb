#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// One end of an edge.
struct Link {
  std::uint32_t node;
  double weight;
};

/// Undirected, weights > 0; each edge stands in the lists of both its ends. A loop of weight w
/// (they appear when nodes are merged) counts w inside its node and 2 w in its degree.
struct WeightedGraph {
  std::vector<std::size_t> first = {0};  ///< links of node u: [first[u], first[u + 1])
  std::vector<Link> links;
  std::vector<double> loops;  ///< one per node

  std::size_t size() const { return loops.size(); }
  double degree(std::size_t u) const;  ///< k_u
  double total_weight() const;         ///< m: every edge and loop once
};

struct GraphOptions {
  double threshold = 0;  ///< of the edges (edge.hpp) those with |Theta_ij| > threshold
};

/// Weights |Theta_ij|, i != j, of a symmetric p x p matrix (its lower triangle); no loops.
/// Not square or not finite: Error.
WeightedGraph graph_of(const MatrixRef& Theta, const GraphOptions& options = {});

}  // namespace spodnet
