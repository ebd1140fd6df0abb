// Graphs in the plane, and trees.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/generate/random_graph.hpp"

namespace spodnet {
namespace {

struct Place {
  double x = 0, y = 0;
};

/// The E closest pairs; of pairs equally far apart, random ones.
Edges closest_pairs(const std::vector<Place>& places, std::size_t E, RandomStream& random) {
  struct Pair {
    double distance, chance;
    Edge edge;
  };
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < places.size(); ++i)
    for (std::uint32_t j = i + 1; j < places.size(); ++j)
      pairs.push_back({std::hypot(places[i].x - places[j].x, places[i].y - places[j].y),
                       random.uniform(),
                       {i, j}});
  E = std::min(E, pairs.size());
  std::partial_sort(pairs.begin(), pairs.begin() + std::ptrdiff_t(E), pairs.end(),
                    [](const Pair& a, const Pair& b) {
                      return a.distance != b.distance ? a.distance < b.distance
                                                      : a.chance < b.chance;
                    });
  Edges edges;
  for (std::size_t k = 0; k < E; ++k) edges.push_back(pairs[k].edge);
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace

Edges grid_graph(std::size_t p, double density, RandomStream& random) {
  const std::size_t width =
      std::max<std::size_t>(1, std::size_t(std::lround(std::sqrt(double(p)))));
  std::vector<Place> places;
  for (std::size_t k = 0; k < p; ++k) places.push_back({double(k % width), double(k / width)});
  const std::size_t E = draw_edge_count(p, density, random);
  return closest_pairs(places, E, random);
}

Edges plane_graph(std::size_t p, double density, RandomStream& random) {
  std::vector<Place> places(p);
  for (Place& place : places) place = {random.uniform(), random.uniform()};
  const std::size_t E = draw_edge_count(p, density, random);
  return closest_pairs(places, E, random);
}

Edges tree_graph(std::size_t p, double density, RandomStream& random) {
  Edges edges;
  for (std::uint32_t j = 1; j < p; ++j) edges.push_back({std::uint32_t(random.below(j)), j});
  const std::size_t E = std::min(draw_edge_count(p, density, random), edges.size());
  for (std::size_t k = 0; k < E; ++k)
    std::swap(edges[k], edges[k + random.below(edges.size() - k)]);
  edges.resize(E);
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace spodnet
