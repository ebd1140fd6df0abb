#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/metrics/layout.hpp"

namespace spodnet {

/// Points in square cells, each with its centre of mass, for forces that fall with distance.
class Quadtree {
 public:
  explicit Quadtree(std::span<const Point> points);

  /// Sum over the other points q of (p - q) / |p - q|^2, cells that `p` sees under less than
  /// `opening` taken as one point. Coincident points exert nothing on each other.
  Point repulsion(Point p, double opening) const;

 private:
  struct Cell {
    Point sum;  // of its points
    double mass = 0;
    double width = 0;
    Point corner;
    std::array<std::int32_t, 4> child = {-1, -1, -1, -1};
    bool leaf = true;
  };
  void insert(Point p);
  std::int32_t child_for(std::int32_t cell, Point p);
  std::vector<Cell> cells_;
};

}  // namespace spodnet
