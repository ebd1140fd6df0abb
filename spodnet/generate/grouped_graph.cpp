// Graphs with groups of variables: hubs, blocks, bands.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/generate/random_graph.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kVariablesPerHub = 20;

/// Moves `count` of the candidates, chosen at random, to the front.
void choose(Edges& candidates, std::size_t count, RandomStream& random) {
  for (std::size_t k = 0; k < count; ++k)
    std::swap(candidates[k], candidates[k + random.below(candidates.size() - k)]);
}

/// Pairs that touch one of the first h of p variables.
std::size_t hub_pairs(std::size_t p, std::size_t h) { return h * (p - h) + h * (h - 1) / 2; }

std::size_t hub_count(std::size_t p, std::size_t E) {
  std::size_t h = std::max<std::size_t>(1, p / kVariablesPerHub);
  while (h < p && hub_pairs(p, h) < E) ++h;
  return h;
}

/// Cluster of each variable, in increasing order.
std::vector<std::size_t> draw_clusters(std::size_t p, std::size_t clusters, RandomStream& random) {
  std::vector<std::size_t> cluster(p);
  for (std::size_t& c : cluster) c = random.below(clusters);
  std::sort(cluster.begin(), cluster.end());
  return cluster;
}

}  // namespace

Edges hub_graph(std::size_t p, double density, RandomStream& random) {
  const std::size_t E = draw_edge_count(p, density, random);
  const auto h = std::uint32_t(hub_count(p, E));
  std::vector<std::uint32_t> members(p - h);
  std::iota(members.begin(), members.end(), h);
  random.shuffle(members);
  const auto hub_of = [&](std::uint32_t member) { return (member - h) % h; };

  Edges edges, others;
  for (const std::uint32_t member : members)
    if (edges.size() < E) edges.push_back({hub_of(member), member});
  for (std::uint32_t hub = 0; hub < h; ++hub)
    for (std::uint32_t j = hub + 1; j < p; ++j)
      if (j < h || hub_of(j) != hub) others.push_back({hub, j});
  const std::size_t more = E - edges.size();
  choose(others, more, random);
  edges.insert(edges.end(), others.begin(), others.begin() + std::ptrdiff_t(more));
  std::sort(edges.begin(), edges.end());
  return edges;
}

Edges block_graph(std::size_t p, double density, RandomStream& random) {
  const std::size_t E = draw_edge_count(p, density, random);
  const double filled = random.uniform(0.5, 1);  // share of a cluster's pairs that are edges
  const double size = 1 + density * (double(p) - 1) / filled;
  const auto clusters = std::size_t(std::max(1.0, std::round(double(p) / size)));
  const std::vector<std::size_t> cluster = draw_clusters(p, clusters, random);
  Edges inside;
  for (std::uint32_t i = 0; i < p; ++i)
    for (std::uint32_t j = i + 1; j < p && cluster[j] == cluster[i]; ++j) inside.push_back({i, j});
  const std::size_t count = std::min(E, inside.size());
  choose(inside, count, random);
  inside.resize(count);
  std::sort(inside.begin(), inside.end());
  return inside;
}

std::size_t draw_bandwidth(std::size_t p, double density, RandomStream& random) {
  double left = 0.5 * density * double(p) * (double(p) - 1);
  std::size_t b = 0;
  while (b + 1 < p && left >= double(p - b - 1)) left -= double(p - ++b);
  const bool one_more = b + 1 < p && random.uniform() * double(p - b - 1) < left;
  return std::max<std::size_t>(b + one_more, p > 1 ? 1 : 0);
}

}  // namespace spodnet
