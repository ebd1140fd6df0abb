#include "spodnet/graph/layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "spodnet/graph/quadtree.hpp"

namespace spodnet {
namespace {

const double kGoldenAngle = std::numbers::pi * (3 - std::sqrt(5.0));
constexpr int kPushes = 60;

Point spiral(std::size_t index, double spacing) {
  const double r = spacing * std::sqrt(double(index) + 0.5), a = kGoldenAngle * double(index);
  return {r * std::cos(a), r * std::sin(a)};
}

/// Communities on a spiral, large ones in the middle, and on a smaller one within each.
Points first_places(std::span<const std::size_t> community) {
  const std::size_t p = community.size();
  std::vector<std::size_t> seen(p, 0);
  const double apart = 1.5 * std::sqrt(double(p) / (1 + *std::ranges::max_element(community)));
  Points at(p);
  for (std::size_t u = 0; u < p; ++u) {
    const Point centre = spiral(community[u], apart), within = spiral(seen[community[u]]++, 0.7);
    at[u] = {centre.x + within.x, centre.y + within.y};
  }
  return at;
}

class Forces {
 public:
  Forces(const WeightedGraph& graph, std::span<const std::size_t> community,
         const LayoutOptions& options)
      : graph_(graph), community_(community), options_(options) {
    for (const Link& link : graph.links) largest_ = std::max(largest_, link.weight);
  }

  Points at(const Points& points) const {
    const Quadtree tree(points);
    Points forces(points.size());
    for (std::size_t u = 0; u < points.size(); ++u) {
      Point f = tree.repulsion(points[u], options_.opening);
      f.x -= options_.gravity * points[u].x;
      f.y -= options_.gravity * options_.flattening * points[u].y;
      for (std::size_t e = graph_.first[u]; e < graph_.first[u + 1]; ++e)
        pull(f, points, u, graph_.links[e]);
      forces[u] = f;
    }
    return forces;
  }

 private:
  void pull(Point& f, const Points& points, std::size_t u, const Link& link) const {
    const double dx = points[link.node].x - points[u].x, dy = points[link.node].y - points[u].y;
    const double d = std::hypot(dx, dy);
    // The root keeps weak edges from dangling far outside.
    double w = std::sqrt(link.weight / largest_);
    if (community_[u] != community_[link.node]) w *= options_.across;
    f = {f.x + w * d * dx, f.y + w * d * dy};
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

/// Moves pairs that are too close away from each other until none is, or `kPushes` times.
void push_apart(Points& points, double separation) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  bool moved = true;
  for (int t = 0; t < kPushes && moved; ++t) {
    moved = false;
    std::ranges::sort(order, {}, [&](std::size_t u) { return std::pair(points[u].x, u); });
    for (std::size_t a = 0; a < order.size(); ++a)
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        Point &p = points[order[a]], &q = points[order[b]];
        if (q.x - p.x > separation) break;
        const double d = std::hypot(q.x - p.x, q.y - p.y);
        if (d >= separation * (1 - 1e-9)) continue;
        const Point along = d > 0 ? Point{(q.x - p.x) / d, (q.y - p.y) / d} : spiral(order[b], 1);
        const double half = (separation - d) / 2;
        p = {p.x - half * along.x, p.y - half * along.y};
        q = {q.x + half * along.x, q.y + half * along.y};
        moved = true;
      }
  }
}

struct Box {
  Point low = {0, 0}, high = {0, 0};
};

Box box_of(const Points& points) {
  if (points.empty()) return {};
  Box box{points[0], points[0]};
  for (const Point& p : points) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

/// Places of `count` loose nodes in centred rows below `above` (y grows downwards), as wide as it
/// or as one and a half times a square of them.
Points rows_below(std::size_t count, const Box& above, bool nothing_above) {
  const double spacing = 1.2, width = above.high.x - above.low.x;
  const auto per_row =
      std::max<std::size_t>({1, std::size_t(width / spacing) + 1,
                             std::size_t(std::ceil(1.5 * std::sqrt(double(count))))});
  const double middle = (above.low.x + above.high.x) / 2;
  Points places;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t row = k / per_row, in_row = std::min(per_row, count - row * per_row);
    const double x = middle + spacing * (double(k % per_row) - double(in_row - 1) / 2);
    places.push_back({x, above.high.y + (nothing_above ? 0 : 1.5) + spacing * double(row)});
  }
  return places;
}

/// The part of `graph` on the nodes with links, which `joined` lists.
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

}  // namespace

Points force_layout(const WeightedGraph& graph, std::span<const std::size_t> community,
                    const LayoutOptions& options) {
  std::vector<std::uint32_t> joined, loose;
  std::vector<std::size_t> labels;
  for (std::uint32_t u = 0; u < graph.size(); ++u) {
    (graph.first[u + 1] > graph.first[u] ? joined : loose).push_back(u);
    if (graph.first[u + 1] > graph.first[u]) labels.push_back(community[u]);
  }
  Points places;
  if (!joined.empty()) {
    const WeightedGraph linked = part(graph, joined);
    places = first_places(labels);
    settle(places, Forces(linked, labels, options), options.iterations);
    push_apart(places, options.separation);
  }
  const Points rows = rows_below(loose.size(), box_of(places), joined.empty());
  Points all(graph.size());
  for (std::size_t k = 0; k < joined.size(); ++k) all[joined[k]] = places[k];
  for (std::size_t k = 0; k < loose.size(); ++k) all[loose[k]] = rows[k];
  return all;
}

}  // namespace spodnet
