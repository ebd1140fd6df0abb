#include "spodnet/metrics/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "spodnet/metrics/arrange.hpp"
#include "spodnet/metrics/quadtree.hpp"

namespace spodnet {
namespace {

constexpr double kWeakest = 0.4;  // pull of the weakest edge relative to the strongest

class Forces {
 public:
  Forces(const WeightedGraph& graph, std::span<const std::size_t> community,
         const LayoutOptions& options)
      : graph_(graph), community_(community), options_(options) {
    for (const Link& link : graph.links) largest_ = std::max(largest_, link.weight);
  }

  Points at(const Points& points) const {
    const Quadtree tree(points);
    const Points centres = centres_of(points);
    Points forces(points.size());
    for (std::size_t u = 0; u < points.size(); ++u) {
      Point f = tree.repulsion(points[u], options_.opening);
      const Point centre = centres[community_[u]];
      const double down = gravity(points[u], points.size());
      f.x -= down * points[u].x + options_.cohesion * (points[u].x - centre.x);
      f.y -= down * points[u].y + options_.cohesion * (points[u].y - centre.y);
      for (std::size_t e = graph_.first[u]; e < graph_.first[u + 1]; ++e)
        pull(f, points, u, graph_.links[e]);
      forces[u] = f;
    }
    return forces;
  }

 private:
  /// Steep beyond the circle that so many nodes need, so that nothing drifts far outside.
  double gravity(const Point& p, std::size_t count) const {
    const double beyond = (p.x * p.x + p.y * p.y) / double(count);
    return options_.gravity * std::max(1.0, beyond * beyond);
  }

  Points centres_of(const Points& points) const {
    Points sum(1 + *std::ranges::max_element(community_));
    std::vector<double> count(sum.size(), 0);
    for (std::size_t u = 0; u < points.size(); ++u) {
      Point& s = sum[community_[u]];
      s = {s.x + points[u].x, s.y + points[u].y};
      ++count[community_[u]];
    }
    for (std::size_t c = 0; c < sum.size(); ++c)
      if (count[c] > 0) sum[c] = {sum[c].x / count[c], sum[c].y / count[c]};
    return sum;
  }

  void pull(Point& f, const Points& points, std::size_t u, const Link& link) const {
    const double dx = points[link.node].x - points[u].x, dy = points[link.node].y - points[u].y;
    const double d = std::hypot(dx, dy);
    // Without the root and the floor, what hangs on weak edges would dangle far outside.
    double w = std::max(std::sqrt(link.weight / largest_), kWeakest) * d;
    // Between communities the pull stops growing with distance, or it would tear them open.
    if (community_[u] != community_[link.node]) w *= options_.across / (1 + d / options_.reach);
    f = {f.x + w * dx, f.y + w * dy};
  }

  const WeightedGraph& graph_;
  std::span<const std::size_t> community_;
  const LayoutOptions& options_;
  double largest_ = 0;
};

void settle(Points& points, const Forces& forces, int iterations) {
  const double start = 0.3 * std::sqrt(double(points.size()));
  for (int t = 0; t < iterations; ++t) {
    const double left = 1 - double(t) / iterations, longest = start * left * left + 0.005;
    const Points f = forces.at(points);
    for (std::size_t u = 0; u < points.size(); ++u) {
      const double length = std::hypot(f[u].x, f[u].y);
      const double step = length > 0 ? std::min(0.5 * length, longest) / length : 0;
      points[u] = {points[u].x + step * f[u].x, points[u].y + step * f[u].y};
    }
  }
}

/// The communities as nodes, joined by the weights between them.
WeightedGraph quotient(const WeightedGraph& graph, std::span<const std::size_t> community,
                       std::size_t count) {
  std::map<std::pair<std::size_t, std::size_t>, double> weights;
  for (std::size_t u = 0; u < graph.size(); ++u)
    for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
      const std::size_t c = community[u], d = community[graph.links[e].node];
      if (c != d) weights[{c, d}] += graph.links[e].weight;
    }
  WeightedGraph out;
  out.loops.assign(count, 0.0);
  auto it = weights.begin();
  for (std::size_t c = 0; c < count; ++c) {
    for (; it != weights.end() && it->first.first == c; ++it)
      out.links.push_back({std::uint32_t(it->first.second), it->second});
    out.first.push_back(out.links.size());
  }
  return out;
}

/// The communities laid out as if each were a node, and the members of each on a spiral around
/// its place.
Points first_places(const WeightedGraph& graph, std::span<const std::size_t> community,
                    const LayoutOptions& options) {
  const std::size_t p = community.size(), count = 1 + *std::ranges::max_element(community);
  std::vector<std::size_t> seen(p, 0), alone(count);
  std::iota(alone.begin(), alone.end(), std::size_t(0));
  Points centres(count);
  for (std::size_t c = 0; c < count; ++c) centres[c] = spiral(c, 1);
  if (count > 2) settle(centres, Forces(quotient(graph, community, count), alone, options), 200);
  const double apart = 1.2 * std::sqrt(double(p) / double(count));
  Points at(p);
  for (std::size_t u = 0; u < p; ++u) {
    const Point centre = centres[community[u]], within = spiral(seen[community[u]]++, 0.7);
    at[u] = {apart * centre.x + within.x, apart * centre.y + within.y};
  }
  return at;
}

/// Connected parts, the largest first.
std::vector<std::vector<std::uint32_t>> components(const WeightedGraph& graph) {
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<bool> seen(graph.size(), false);
  for (std::uint32_t start = 0; start < graph.size(); ++start) {
    if (seen[start]) continue;
    std::vector<std::uint32_t> found = {start};
    seen[start] = true;
    for (std::size_t k = 0; k < found.size(); ++k)
      for (std::size_t e = graph.first[found[k]]; e < graph.first[found[k] + 1]; ++e) {
        const std::uint32_t v = graph.links[e].node;
        if (!seen[v]) found.push_back(v), seen[v] = true;
      }
    std::ranges::sort(found);
    parts.push_back(std::move(found));
  }
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const auto& part) { return part.size(); });
  return parts;
}

/// The graph of the nodes that `joined` lists; no other is linked to them.
WeightedGraph part(const WeightedGraph& graph, const std::vector<std::uint32_t>& joined) {
  std::vector<std::uint32_t> index(graph.size(), 0);
  for (std::uint32_t k = 0; k < joined.size(); ++k) index[joined[k]] = k;
  WeightedGraph out;
  out.loops.assign(joined.size(), 0.0);
  for (const std::uint32_t u : joined) {
    for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e)
      out.links.push_back({index[graph.links[e].node], graph.links[e].weight});
    out.first.push_back(out.links.size());
  }
  return out;
}

/// One connected graph of the `nodes` by itself.
Points picture_of(const WeightedGraph& graph, const std::vector<std::uint32_t>& nodes,
                  std::span<const std::size_t> community, const LayoutOptions& options) {
  if (nodes.size() == 1) return {Point{}};
  std::map<std::size_t, std::size_t> numbers;  // communities of this part: 0, 1, ...
  std::vector<std::size_t> labels;
  for (const std::uint32_t u : nodes)
    labels.push_back(numbers.try_emplace(community[u], numbers.size()).first->second);
  Points places = first_places(graph, labels, options);
  settle(places, Forces(graph, labels, options), options.iterations);
  lay_flat(places);
  push_apart(places, options.separation);
  return places;
}

}  // namespace

Points force_layout(const WeightedGraph& graph, std::span<const std::size_t> community,
                    const LayoutOptions& options) {
  const auto parts = components(graph);
  std::vector<Points> pictures;
  for (const std::vector<std::uint32_t>& nodes : parts)
    pictures.push_back(picture_of(part(graph, nodes), nodes, community, options));
  if (!pictures.empty()) pack(pictures);
  Points all(graph.size());
  for (std::size_t c = 0; c < parts.size(); ++c)
    for (std::size_t k = 0; k < parts[c].size(); ++k) all[parts[c][k]] = pictures[c][k];
  return all;
}

}  // namespace spodnet
