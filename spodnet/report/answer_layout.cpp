#include <algorithm>
#include <cmath>

#include "spodnet/core/disjoint_sets.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kEdgesPerNode = 4;

WeightedGraph graph_of_edges(std::size_t p, const std::vector<const AnswerEdge*>& edges) {
  std::vector<std::vector<Link>> links(p);
  for (const AnswerEdge* edge : edges) {
    const double weight = std::abs(edge->partial_correlation);
    links[edge->i].push_back({std::uint32_t(edge->j), weight});
    links[edge->j].push_back({std::uint32_t(edge->i), weight});
  }
  WeightedGraph graph;
  graph.loops.assign(p, 0.0);
  for (const std::vector<Link>& of_node : links) {
    graph.links.insert(graph.links.end(), of_node.begin(), of_node.end());
    graph.first.push_back(graph.links.size());
  }
  return graph;
}

}  // namespace

Points answer_layout(const Answer& answer, const LayoutOptions& options) {
  const std::size_t p = answer.names.size();
  std::vector<const AnswerEdge*> edges, kept;
  for (const AnswerEdge& edge : answer.edges)
    if (edge.partial_correlation != 0) edges.push_back(&edge);
  std::ranges::stable_sort(edges, std::ranges::greater(),
                           [](const AnswerEdge* e) { return std::abs(e->partial_correlation); });
  DisjointSets joined(p);  // by the edges seen so far
  for (const AnswerEdge* edge : edges) {
    const bool joins = joined.join(edge->i, edge->j);
    if (joins || kept.size() < kEdgesPerNode * p) kept.push_back(edge);
  }
  return force_layout(graph_of_edges(p, kept), answer.community, options);
}

}  // namespace spodnet
