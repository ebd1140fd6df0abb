#pragma once

#include <cstdint>
#include <span>

#include "spodnet/metrics/graph.hpp"

namespace spodnet {

/// Newman's weighted modularity at resolution 1, community by community:
///   Q = sum_c [ L_c / m - (K_c / 2m)^2 ],
/// L_c the weight inside c (each edge once), K_c the sum of its degrees; -1/2 <= Q < 1. Labels are
/// any numbers below the graph's size. A graph without edges has no modularity: 0 by convention.
/// Cost: nodes + edges.
double modularity(const WeightedGraph& graph, std::span<const std::uint32_t> community);

}  // namespace spodnet
