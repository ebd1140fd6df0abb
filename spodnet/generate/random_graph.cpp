#include "spodnet/generate/random_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace spodnet {
namespace {

double pair_count(std::size_t p) { return 0.5 * double(p) * (double(p) - 1); }

Edge edge(std::size_t a, std::size_t b) {
  return {std::uint32_t(std::min(a, b)), std::uint32_t(std::max(a, b))};
}

/// All pairs of a ring of p variables at distance `lag`, in random order.
Edges ring_pairs(std::size_t p, std::size_t lag, RandomStream& random) {
  std::vector<std::uint32_t> start(2 * lag == p ? lag : p);
  std::iota(start.begin(), start.end(), 0u);
  random.shuffle(start);
  Edges pairs;
  for (const std::uint32_t i : start) pairs.push_back(edge(i, (i + lag) % p));
  return pairs;
}

/// The first E pairs of a ring, nearest ones first.
Edges ring_lattice(std::size_t p, std::size_t E, RandomStream& random) {
  Edges edges;
  for (std::size_t lag = 1; edges.size() < E; ++lag) {
    const Edges pairs = ring_pairs(p, lag, random);
    const std::size_t room = std::min(pairs.size(), E - edges.size());
    edges.insert(edges.end(), pairs.begin(), pairs.begin() + std::ptrdiff_t(room));
  }
  return edges;
}

/// The pairs that are linked, to move edges without doubling any.
class Adjacency {
 public:
  Adjacency(std::size_t p, const Edges& edges) : p_(p), linked_(p * p), degree_(p) {
    for (const Edge& e : edges) set(e, true);
  }

  /// Moves one end of the edge to a variable that the other is not linked with yet.
  Edge moved(const Edge& e, RandomStream& random) {
    const auto [keep, drop] = random.below(2) == 0 ? std::pair(e.i, e.j) : std::pair(e.j, e.i);
    if (degree_[keep] + 1 >= p_) return e;  // linked with all
    std::size_t to = drop;
    while (to == keep || linked_[keep * p_ + to]) to = random.below(p_);
    set(e, false);
    set(edge(keep, to), true);
    return edge(keep, to);
  }

 private:
  void set(const Edge& e, bool value) {
    linked_[e.i * p_ + e.j] = linked_[e.j * p_ + e.i] = value;
    for (const std::uint32_t end : {e.i, e.j}) value ? ++degree_[end] : --degree_[end];
  }

  std::size_t p_;
  std::vector<char> linked_;
  std::vector<std::size_t> degree_;
};

}  // namespace

std::size_t draw_edge_count(std::size_t p, double density, RandomStream& random) {
  return std::size_t(std::min(density * pair_count(p) + random.uniform(), pair_count(p)));
}

Edges erdos_renyi_graph(std::size_t p, double density, RandomStream& random) {
  Edges edges;
  for (std::uint32_t i = 0; i < p; ++i)
    for (std::uint32_t j = i + 1; j < p; ++j)
      if (random.uniform() < density) edges.push_back({i, j});
  return edges;
}

Edges scale_free_graph(std::size_t p, double density, RandomStream& random, double decay) {
  // The smallest E of exponential times with rates w_i w_j are E draws without replacement.
  const std::size_t E = draw_edge_count(p, density, random);
  std::vector<std::pair<double, Edge>> times;
  for (std::uint32_t i = 0; i < p; ++i)
    for (std::uint32_t j = i + 1; j < p; ++j)
      times.push_back(
          {-std::log(1 - random.uniform()) * std::pow((i + 1.0) * (j + 1.0), decay), {i, j}});
  std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(E), times.end());
  Edges edges;
  for (std::size_t k = 0; k < E; ++k) edges.push_back(times[k].second);
  std::sort(edges.begin(), edges.end());
  return edges;
}

Edges small_world_graph(std::size_t p, double density, RandomStream& random, double rewired) {
  Edges edges = ring_lattice(p, draw_edge_count(p, density, random), random);
  Adjacency adjacency(p, edges);
  for (Edge& e : edges)
    if (random.uniform() < rewired) e = adjacency.moved(e, random);
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace spodnet
