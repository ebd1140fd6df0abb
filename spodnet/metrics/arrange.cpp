#include "spodnet/metrics/arrange.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace spodnet {
namespace {

const double kGoldenAngle = std::numbers::pi * (3 - std::sqrt(5.0));
constexpr int kPushes = 60;
constexpr double kAspect = 1.6, kStretch = 1.35;  // width over height of a page
constexpr double kGap = 1.3;                      // between parts that are not joined

struct Box {
  Point low = {0, 0}, high = {0, 0};
  double width() const { return high.x - low.x; }
  double height() const { return high.y - low.y; }
};

Box box_of(const Points& points) {
  Box box{points[0], points[0]};
  for (const Point& p : points) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

}  // namespace

Point spiral(std::size_t index, double spacing) {
  const double r = spacing * std::sqrt(double(index) + 0.5), a = kGoldenAngle * double(index);
  return {r * std::cos(a), r * std::sin(a)};
}

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

void lay_flat(Points& points) {
  Point mean;
  for (const Point& p : points) mean = {mean.x + p.x, mean.y + p.y};
  mean = {mean.x / double(points.size()), mean.y / double(points.size())};
  double xx = 0, xy = 0, yy = 0;
  for (Point& p : points) {
    p = {p.x - mean.x, p.y - mean.y};
    xx += p.x * p.x, xy += p.x * p.y, yy += p.y * p.y;
  }
  const double angle = std::atan2(2 * xy, xx - yy) / 2, c = std::cos(angle), s = std::sin(angle);
  for (Point& p : points) p = {c * p.x + s * p.y, c * p.y - s * p.x};
  const Box box = box_of(points);
  if (points.size() < 6 || !(box.height() > 0)) return;
  const double to_page = kAspect * box.height() / box.width();
  const double wider = std::clamp(to_page, 1.0, kStretch),
               higher = std::clamp(1 / to_page, 1.0, kStretch);
  for (Point& p : points) p = {wider * p.x, higher * p.y};
}

void pack(std::vector<Points>& pictures) {
  double area = 0, widest = 0;
  std::vector<Box> boxes;
  for (const Points& picture : pictures) {
    boxes.push_back(box_of(picture));
    area += (boxes.back().width() + kGap) * (boxes.back().height() + kGap);
    widest = std::max(widest, boxes.back().width());
  }
  const double first = (boxes[0].width() + kGap) * (boxes[0].height() + kGap);
  const double room =
      first > area / 2 ? std::max(widest, 4 * kGap) : std::max(widest, std::sqrt(kAspect * area));
  double top = 0;
  for (std::size_t begin = 0, end = 0; begin < pictures.size(); begin = end) {
    double width = -kGap, height = 0;
    for (; end < pictures.size() && (end == begin || width + kGap + boxes[end].width() <= room);
         ++end) {
      width += kGap + boxes[end].width();
      height = std::max(height, boxes[end].height());
    }
    double left = -width / 2;
    for (std::size_t k = begin; k < end; ++k) {
      const Point by = {left - boxes[k].low.x,
                        top + (height - boxes[k].height()) / 2 - boxes[k].low.y};
      for (Point& p : pictures[k]) p = {p.x + by.x, p.y + by.y};
      left += boxes[k].width() + kGap;
    }
    top += height + kGap;
  }
}

}  // namespace spodnet
