#include "spodnet/metrics/quadtree.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr int kMaxDepth = 40;  // closer points share a leaf

}  // namespace

Quadtree::Quadtree(std::span<const Point> points) {
  Cell root;
  if (!points.empty()) {
    Point low = points[0], high = points[0];
    for (const Point& p : points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    root.corner = low;
    root.width = std::max({high.x - low.x, high.y - low.y, 1e-12}) * (1 + 1e-9);
  }
  cells_.reserve(4 * points.size() + 1);
  cells_.push_back(root);
  for (const Point& p : points) insert(p);
}

std::int32_t Quadtree::child_for(std::int32_t cell, Point p) {
  const double half = cells_[cell].width / 2;
  const Point corner = cells_[cell].corner;
  const bool right = p.x >= corner.x + half, upper = p.y >= corner.y + half;
  const std::size_t slot = std::size_t(right) + 2 * std::size_t(upper);
  if (cells_[cell].child[slot] < 0) {
    cells_[cell].child[slot] = std::int32_t(cells_.size());
    Cell fresh;
    fresh.width = half;
    fresh.corner = {corner.x + (right ? half : 0), corner.y + (upper ? half : 0)};
    cells_.push_back(fresh);
  }
  return cells_[cell].child[slot];
}

void Quadtree::insert(Point p) {
  const auto put = [&](std::int32_t at) {
    cells_[at].sum = {cells_[at].sum.x + p.x, cells_[at].sum.y + p.y};
    cells_[at].mass += 1;
  };
  std::int32_t at = 0;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    if (cells_[at].leaf) {
      if (cells_[at].mass == 0) break;
      const Point here = {cells_[at].sum.x / cells_[at].mass, cells_[at].sum.y / cells_[at].mass};
      if (here.x == p.x && here.y == p.y) break;
      cells_[at].leaf = false;
      const std::int32_t below = child_for(at, here);
      cells_[below].sum = cells_[at].sum;
      cells_[below].mass = cells_[at].mass;
    }
    put(at);
    at = child_for(at, p);
  }
  put(at);
}

Point Quadtree::repulsion(Point p, double opening) const {
  Point force;
  std::array<std::int32_t, 4 * kMaxDepth + 4> stack;
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Cell& cell = cells_[stack[--top]];
    if (cell.mass == 0) continue;
    const double dx = p.x - cell.sum.x / cell.mass, dy = p.y - cell.sum.y / cell.mass;
    const double d2 = dx * dx + dy * dy;
    if (cell.leaf || cell.width * cell.width < opening * opening * d2) {
      if (d2 > 0) force = {force.x + cell.mass * dx / d2, force.y + cell.mass * dy / d2};
      continue;
    }
    for (const std::int32_t child : cell.child)
      if (child >= 0) stack[top++] = child;
  }
  return force;
}

}  // namespace spodnet
