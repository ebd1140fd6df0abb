#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/metrics/graph.hpp"

namespace spodnet {

struct Point {
  double x = 0, y = 0;
};
using Points = std::vector<Point>;

struct LayoutOptions {
  int iterations = 400;
  double opening = 0.7;      ///< a cell seen under a smaller angle (width / distance) acts as one
  double across = 0.35;      ///< pull of an edge between communities, relative to one inside
  double reach = 3;          ///< the distance at which that pull stops growing
  double cohesion = 0.3;     ///< pull to the community's centre, per unit of distance
  double gravity = 0.12;     ///< pull to the centre, per unit of distance
  double separation = 0.75;  ///< smallest distance between two nodes in the end
};

/// Where to draw the nodes: repulsion 1 / d between all (Barnes-Hut), attraction w d^2 along the
/// edges with w scaled to (0, 1], so that a lone edge of weight 1 is 1 long; started from a
/// layout of the communities, cooled over `iterations`, laid flat, then pushed apart. Parts that
/// are not joined are laid out one by one and stand in rows, the largest on top. The same input
/// gives the same picture. Cost: iterations * (p log p + edges).
Points force_layout(const WeightedGraph& graph, std::span<const std::size_t> community,
                    const LayoutOptions& options = {});

}  // namespace spodnet
