#include "spodnet/metrics/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {

double WeightedGraph::degree(std::size_t u) const {
  double k = 2 * loops[u];
  for (std::size_t e = first[u]; e < first[u + 1]; ++e) k += links[e].weight;
  return k;
}

double WeightedGraph::total_weight() const {
  double sum = 0;
  for (std::size_t u = 0; u < size(); ++u) sum += degree(u);
  return sum / 2;
}

WeightedGraph graph_of(const MatrixRef& Theta, const GraphOptions& options) {
  if (Theta.rows() != Theta.cols())
    throw Error(
        fmt::format("graph_of: {} x {} is not a square matrix", Theta.rows(), Theta.cols()));
  if (!Theta.allFinite()) throw Error("graph_of: the matrix holds a value that is not finite");
  if (!(options.threshold >= 0))
    throw Error(fmt::format("graph_of: threshold {} must be >= 0", options.threshold));
  WeightedGraph graph;
  graph.loops.assign(std::size_t(Theta.rows()), 0.0);
  for (Eigen::Index i = 0; i < Theta.rows(); ++i) {
    for (Eigen::Index j = 0; j < Theta.cols(); ++j) {
      const double weight = std::abs(Theta(std::max(i, j), std::min(i, j)));
      if (i != j && weight > options.threshold && is_edge(Theta, i, j))
        graph.links.push_back({std::uint32_t(j), weight});
    }
    graph.first.push_back(graph.links.size());
  }
  return graph;
}

}  // namespace spodnet
