#include "spodnet/metrics/centrality.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "spodnet/metrics/edge.hpp"

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

constexpr std::size_t kFewNodes =
    512;  // looked through for the nearest; beyond, a queue is quicker

/// The nodes reached and not done, of which the nearest is taken; of equally near ones the first.
class Frontier {
 public:
  explicit Frontier(std::size_t nodes) : few_(nodes <= kFewNodes), length_(few_ ? nodes : 0) {}

  void clear() { length_.setConstant(kUnreached); }

  void reach(std::size_t v, double length) {
    if (few_)
      length_[Eigen::Index(v)] = length;
    else
      queue_.emplace(length, v);
  }

  /// No node when none is left; a node may come again, farther away.
  std::optional<std::size_t> take() {
    if (!few_) return take_queued();
    const double nearest = length_.minCoeff();
    if (nearest == kUnreached) return {};
    const auto v =
        std::size_t(std::find(length_.begin(), length_.end(), nearest) - length_.begin());
    length_[Eigen::Index(v)] = kUnreached;
    return v;
  }

 private:
  using Reached = std::pair<double, std::size_t>;

  std::optional<std::size_t> take_queued() {
    if (queue_.empty()) return {};
    const std::size_t v = queue_.top().second;
    queue_.pop();
    return v;
  }

  bool few_;
  Vector length_;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue_;
};

/// Shortest paths from one node after another: their lengths, how many there are, and the nodes in
/// the order in which they were reached with the last steps of their paths.
struct ShortestPaths {
  std::vector<double> length, count;
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> before;

  explicit ShortestPaths(const Ways& ways)
      : before(ways.size()), ways_(ways), frontier_(ways.size()) {}

  void from(std::size_t source) {
    length.assign(ways_.size(), kUnreached);
    limit_.assign(ways_.size(), kUnreached);
    count.assign(ways_.size(), 0);
    done_.assign(ways_.size(), false);
    order.clear();
    frontier_.clear();
    for (auto& steps : before) steps.clear();
    length[source] = limit_[source] = 0;
    count[source] = 1;
    frontier_.reach(source, 0);
    while (const auto u = frontier_.take()) {
      if (done_[*u]) continue;
      done_[*u] = true;
      order.push_back(*u);
      for (const auto& [v, step] : ways_[*u]) {
        const double there = length[*u] + step;
        if (!(there > limit_[v]) && !done_[v]) reach(v, *u, there);  // most are farther
      }
    }
  }

 private:
  void reach(std::size_t v, std::size_t u, double there) {
    if (there < length[v] * (1 - kSameLength)) {
      length[v] = there;
      limit_[v] = there * (1 + kSameLength);
      count[v] = count[u];
      before[v].assign(1, u);
      frontier_.reach(v, there);
    } else {
      count[v] += count[u];
      before[v].push_back(u);
    }
  }

  const Ways& ways_;
  std::vector<char> done_;
  std::vector<double> limit_;  ///< of each node: a path longer than this is no shortest one
  Frontier frontier_;
};

double closeness(const ShortestPaths& paths) {
  const double reached = double(paths.order.size()) - 1;
  double sum = 0;
  for (const std::size_t v : paths.order) sum += paths.length[v];
  return reached > 0 ? reached / double(paths.length.size() - 1) * (reached / sum) : 0;
}

/// Brandes: the dependency of the source on every node, added up from the far end.
void add_betweenness(const ShortestPaths& paths, Eigen::Ref<Vector> between) {
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
  ShortestPaths paths(ways);
  for (Eigen::Index i = 0; i < p; ++i) {
    const auto u = std::size_t(i);
    for (const auto& [v, length] : ways[u]) {
      const double w = partial(i, Eigen::Index(v));
      column(NodeMeasure::strength)[i] += std::abs(w);
      column(NodeMeasure::expected_influence)[i] += w;
      if (community[u] != community[v]) column(NodeMeasure::bridge_strength)[i] += std::abs(w);
    }
    paths.from(u);
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
