#include "spodnet/graph/centrality.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "spodnet/graph/edge.hpp"

namespace spodnet {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr double kSameLength = 1e-12;  // relative: paths whose lengths differ by rounding

struct Way {
  std::size_t to;
  double length;
};
using Ways = std::vector<std::vector<Way>>;

Ways ways_of(const MatrixRef& partial) {
  Ways ways(std::size_t(partial.rows()));
  for (Eigen::Index i = 0; i < partial.rows(); ++i)
    for (Eigen::Index j = 0; j < partial.cols(); ++j)
      if (i != j && is_edge(partial(i, j)))
        ways[std::size_t(i)].push_back({std::size_t(j), 1 / std::abs(partial(i, j))});
  return ways;
}

/// Shortest paths from one node: their lengths, how many there are, and the nodes in the order in
/// which they were reached with the last steps of their paths.
struct PathsFrom {
  std::vector<double> length, count;
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> before;

  PathsFrom(const Ways& ways, std::size_t source)
      : length(ways.size(), kUnreached), count(ways.size(), 0), before(ways.size()) {
    using Reached = std::pair<double, std::size_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
    std::vector<bool> done(ways.size(), false);
    length[source] = 0;
    count[source] = 1;
    next.emplace(0, source);
    while (!next.empty()) {
      const std::size_t u = next.top().second;
      next.pop();
      if (done[u]) continue;
      done[u] = true;
      order.push_back(u);
      for (const auto& [v, step] : ways[u])
        if (!done[v]) reach(v, u, length[u] + step, next);
    }
  }

 private:
  template <class Queue>
  void reach(std::size_t v, std::size_t u, double there, Queue& next) {
    if (there < length[v] * (1 - kSameLength)) {
      length[v] = there;
      count[v] = count[u];
      before[v] = {u};
      next.emplace(there, v);
    } else if (there <= length[v] * (1 + kSameLength)) {
      count[v] += count[u];
      before[v].push_back(u);
    }
  }
};

double closeness(const PathsFrom& paths) {
  const double reached = double(paths.order.size()) - 1;
  double sum = 0;
  for (const std::size_t v : paths.order) sum += paths.length[v];
  return reached > 0 ? reached / double(paths.length.size() - 1) * (reached / sum) : 0;
}

/// Brandes: the dependency of the source on every node, added up from the far end.
void add_betweenness(const PathsFrom& paths, Eigen::Ref<Vector> between) {
  std::vector<double> dependency(paths.length.size(), 0);
  for (std::size_t k = paths.order.size(); k-- > 1;) {
    const std::size_t v = paths.order[k];
    for (const std::size_t u : paths.before[v])
      dependency[u] += paths.count[u] / paths.count[v] * (1 + dependency[v]);
    between[Eigen::Index(v)] += dependency[v] / 2;  // each pair is seen from both ends
  }
}

}  // namespace

Matrix node_measures(const MatrixRef& partial, std::span<const std::size_t> community,
                     const Vector& predictability) {
  const Eigen::Index p = partial.rows();
  const Ways ways = ways_of(partial);
  Matrix out = Matrix::Zero(p, Eigen::Index(kNodeMeasures));
  const auto column = [&](NodeMeasure m) { return out.col(Eigen::Index(m)); };
  Vector between = Vector::Zero(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    const auto u = std::size_t(i);
    for (const auto& [v, length] : ways[u]) {
      const double w = partial(i, Eigen::Index(v));
      column(NodeMeasure::strength)[i] += std::abs(w);
      column(NodeMeasure::expected_influence)[i] += w;
      if (community[u] != community[v]) column(NodeMeasure::bridge_strength)[i] += std::abs(w);
    }
    const PathsFrom paths(ways, u);
    column(NodeMeasure::closeness)[i] = closeness(paths);
    add_betweenness(paths, between);
    if (!ways[u].empty()) column(NodeMeasure::predictability)[i] = predictability[i];
  }
  column(NodeMeasure::betweenness) = between;
  return out;
}

Vector predictability(const MatrixRef& Theta, const MatrixRef& S) {
  const Matrix product = Theta * S;
  Vector out(Theta.rows());
  for (Eigen::Index i = 0; i < Theta.rows(); ++i) {
    const double residual = product.row(i).dot(Theta.row(i)) / (Theta(i, i) * Theta(i, i));
    out[i] = 1 - residual / S(i, i);
  }
  return out;
}

}  // namespace spodnet
