#include "spodnet/metrics/louvain.hpp"

#include <fmt/format.h>

#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/metrics/modularity.hpp"

namespace spodnet {
namespace {

using Labels = std::vector<std::uint32_t>;

constexpr double kTie = 1e-14;  // gains closer than this are rounding: no move, hence no cycle

/// Relabels 0, 1, ... by first appearance; returns how many labels there are.
std::size_t relabel(Labels& labels) {
  Labels fresh(labels.size(), std::uint32_t(-1));
  std::uint32_t count = 0;
  for (std::uint32_t& label : labels) {
    if (fresh[label] == std::uint32_t(-1)) fresh[label] = count++;
    label = fresh[label];
  }
  return count;
}

/// The local moves of one level. Weights are those of the graph over 2m, so that the gain of
/// joining C is 2 (w(u,C) - k_u K_C).
class Level {
 public:
  explicit Level(const WeightedGraph& graph)
      : graph_(graph), labels_(graph.size()), k_(graph.size()), weight_to_(graph.size(), 0.0) {
    std::iota(labels_.begin(), labels_.end(), 0u);
    for (std::size_t u = 0; u < graph.size(); ++u) k_[u] = graph.degree(u);
    K_ = k_;
  }

  /// Sweeps in fresh random orders until no node moves.
  Labels settle(RandomStream& random) {
    Labels order(graph_.size());
    std::iota(order.begin(), order.end(), 0u);
    for (bool moved = true; moved;) {
      moved = false;
      random.shuffle(order);
      for (const std::uint32_t u : order) moved |= move(u);
    }
    return labels_;
  }

 private:
  bool move(std::uint32_t u) {
    const std::uint32_t home = labels_[u];
    gather(u);
    K_[home] -= k_[u];
    std::uint32_t best = home;
    double best_gain = weight_to_[home] - k_[u] * K_[home] + kTie;
    for (const std::uint32_t c : touched_) {
      const double gain = weight_to_[c] - k_[u] * K_[c];
      if (gain > best_gain) best = c, best_gain = gain;
    }
    K_[best] += k_[u];
    labels_[u] = best;
    for (const std::uint32_t c : touched_) weight_to_[c] = 0;
    return best != home;
  }

  /// weight_to_[c] = w(u,c) for the communities around u, listed in touched_.
  void gather(std::uint32_t u) {
    touched_.clear();
    for (std::size_t e = graph_.first[u]; e < graph_.first[u + 1]; ++e) {
      const std::uint32_t c = labels_[graph_.links[e].node];
      if (weight_to_[c] == 0) touched_.push_back(c);
      weight_to_[c] += graph_.links[e].weight;
    }
  }

  const WeightedGraph& graph_;
  Labels labels_, touched_;
  std::vector<double> k_, K_, weight_to_;
};

/// The graph whose nodes are the communities.
WeightedGraph merge(const WeightedGraph& graph, const Labels& labels, std::size_t count) {
  std::vector<Labels> members(count);
  for (std::uint32_t u = 0; u < graph.size(); ++u) members[labels[u]].push_back(u);
  WeightedGraph merged;
  merged.loops.assign(count, 0.0);
  std::vector<double> weight_to(count, 0.0);
  Labels touched;
  for (std::uint32_t c = 0; c < count; ++c) {
    touched.clear();
    for (const std::uint32_t u : members[c]) {
      merged.loops[c] += graph.loops[u];
      for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
        const std::uint32_t d = labels[graph.links[e].node];
        if (weight_to[d] == 0) touched.push_back(d);
        weight_to[d] += graph.links[e].weight;
      }
    }
    for (const std::uint32_t d : touched) {
      if (d == c)
        merged.loops[c] += weight_to[d] / 2;  // seen from both ends
      else
        merged.links.push_back({d, weight_to[d]});
      weight_to[d] = 0;
    }
    merged.first.push_back(merged.links.size());
  }
  return merged;
}

/// One run from singletons.
Communities run_once(const WeightedGraph& graph, double threshold, RandomStream& random) {
  Communities best;
  best.community.resize(graph.size());
  std::iota(best.community.begin(), best.community.end(), 0u);
  best.modularity = modularity(graph, best.community);
  for (WeightedGraph coarse = graph;;) {
    Labels labels = Level(coarse).settle(random);
    const std::size_t count = relabel(labels);
    const double Q = modularity(coarse, labels);
    if (count == coarse.size() || Q <= best.modularity) break;
    const bool done = Q - best.modularity <= threshold;
    best.modularity = Q;
    for (std::uint32_t& c : best.community) c = labels[c];
    if (done) break;
    coarse = merge(coarse, labels, count);
  }
  best.count = relabel(best.community);
  return best;
}

/// Weights over 2m, so that nothing depends on their scale.
WeightedGraph normalised(WeightedGraph graph) {
  const double two_m = 2 * graph.total_weight();
  if (!(two_m > 0)) return graph;
  for (Link& link : graph.links) link.weight /= two_m;
  for (double& loop : graph.loops) loop /= two_m;
  return graph;
}

}  // namespace

Communities louvain(const WeightedGraph& graph, const LouvainOptions& options) {
  if (options.restarts < 1)
    throw Error(fmt::format("louvain: restarts is {}, at least 1 is needed", options.restarts));
  const WeightedGraph scaled = normalised(graph);
  Communities best;
  for (int r = 0; r < options.restarts; ++r) {
    RandomStream random(options.seed, std::uint64_t(r));
    Communities found = run_once(scaled, options.threshold, random);
    if (r == 0 || found.modularity > best.modularity) best = std::move(found);
  }
  return best;
}

}  // namespace spodnet
