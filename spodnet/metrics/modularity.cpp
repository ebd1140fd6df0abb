#include "spodnet/metrics/modularity.hpp"

#include <fmt/format.h>

#include <vector>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

void check(const WeightedGraph& graph, std::span<const std::uint32_t> community) {
  if (community.size() != graph.size())
    throw Error(fmt::format("modularity: {} labels for {} nodes", community.size(), graph.size()));
  for (const std::uint32_t label : community)
    if (label >= graph.size())
      throw Error(fmt::format("modularity: label {} is not below the number of nodes, {}", label,
                              graph.size()));
}

}  // namespace

double modularity(const WeightedGraph& graph, std::span<const std::uint32_t> community) {
  check(graph, community);
  const double m = graph.total_weight();
  if (!(m > 0)) return 0;
  std::vector<double> inside(graph.size(), 0.0), degrees(graph.size(), 0.0);  // 2 L_c, K_c
  for (std::size_t u = 0; u < graph.size(); ++u) {
    const std::uint32_t c = community[u];
    degrees[c] += graph.degree(u);
    inside[c] += 2 * graph.loops[u];
    for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e)
      if (community[graph.links[e].node] == c) inside[c] += graph.links[e].weight;
  }
  double Q = 0;
  for (std::size_t c = 0; c < graph.size(); ++c) {
    const double share = degrees[c] / (2 * m);
    Q += inside[c] / (2 * m) - share * share;
  }
  return Q;
}

}  // namespace spodnet
