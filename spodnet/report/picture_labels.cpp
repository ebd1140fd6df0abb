#include "spodnet/report/picture_labels.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "spodnet/report/letters.hpp"

namespace spodnet {
namespace {

constexpr double kOutside = 1e5;  // cost of a label beyond the page

struct TakenBox {
  PictureBox box;
  std::size_t owner;  ///< its own spot does not block a label
};

double shared_area(const PictureBox& a, const PictureBox& b) {
  const double w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  return w > 0 && h > 0 ? w * h : 0;
}

/// Whether the segment meets the box (Liang and Barsky's clipping).
bool crosses(const PictureLine& line, const PictureBox& box) {
  double from = 0, to = 1;
  const auto clip = [&](double start, double step, double low, double high) {
    if (step == 0) return start >= low && start <= high;
    const double s = (low - start) / step, t = (high - start) / step;
    from = std::max(from, std::min(s, t));
    to = std::min(to, std::max(s, t));
    return true;
  };
  return clip(line.from.x, line.to.x - line.from.x, box.x1, box.x2) &&
         clip(line.from.y, line.to.y - line.from.y, box.y1, box.y2) && from < to;
}

struct LabelPlace {
  double dx = 0, dy = 0;
  Align align = Align::left;
};

/// Right, left, below, above and the corners at distance r.
std::array<LabelPlace, 8> places_around(double r, double size) {
  const double d = r + 5, s = 0.75 * r + 3, h = size / 2;
  return {{{d, 0, Align::left},
           {-d, 0, Align::right},
           {0, r + h + 3, Align::centre},
           {0, -r - h - 3, Align::centre},
           {s, s + 2, Align::left},
           {s, -s - 2, Align::left},
           {-s, s + 2, Align::right},
           {-s, -s - 2, Align::right}}};
}

PictureBox box_at(Point at, const LabelPlace& place, double width, double size) {
  const double x = at.x + place.dx, y = at.y + place.dy;
  const double left = x - (place.align == Align::left    ? 0
                           : place.align == Align::right ? width
                                                         : width / 2);
  return {left - 2, y - size / 2 - 1, left + width + 2, y + size / 2 + 1};
}

bool inside(const PictureBox& box, const PictureBox& page) {
  return box.x1 >= page.x1 && box.x2 <= page.x2 && box.y1 >= page.y1 && box.y2 <= page.y2;
}

/// The area of others that the box covers, a place beyond the page included.
double blocked_area(const PictureBox& box, std::size_t owner, const std::vector<TakenBox>& taken,
                    const PictureBox& page) {
  double area = inside(box, page) ? 0 : kOutside;
  for (const TakenBox& other : taken)
    if (other.owner != owner) area += shared_area(box, other.box);
  return area;
}

std::vector<std::size_t> by_importance(const std::vector<LabelSpot>& spots) {
  std::vector<std::size_t> order(spots.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(spots[a].must, spots[a].importance) >
           std::pair(spots[b].must, spots[b].importance);
  });
  return order;
}

}  // namespace

std::vector<PictureText> place_labels(const std::vector<LabelSpot>& spots, double size,
                                      const std::vector<PictureLine>& lines,
                                      const std::vector<PictureBox>& reserved,
                                      const PictureBox& page) {
  std::vector<TakenBox> taken;
  for (const PictureBox& box : reserved) taken.push_back({box, spots.size()});
  for (std::size_t k = 0; k < spots.size(); ++k) {
    const auto& [x, y] = spots[k].at;
    const double r = spots[k].r;
    taken.push_back({{x - r, y - r, x + r, y + r}, k});
  }
  std::vector<PictureText> labels;
  for (const std::size_t k : by_importance(spots)) {
    const LabelSpot& spot = spots[k];
    const double width = text_width(spot.words, size);
    std::optional<LabelPlace> best;
    double least = 0;
    for (const LabelPlace& place : places_around(spot.r, size)) {
      const PictureBox box = box_at(spot.at, place, width, size);
      const double blocked = blocked_area(box, k, taken, page);
      if (blocked > 0 && !spot.must) continue;
      double cost = blocked;
      for (const PictureLine& line : lines)
        if (crosses(line, box)) cost += line.width;
      if (best && cost >= least - 0.01) continue;
      best = place, least = cost;
      if (cost == 0) break;
    }
    if (!best) continue;
    taken.push_back({box_at(spot.at, *best, width, size), k});
    labels.push_back({.at = {spot.at.x + best->dx, spot.at.y + best->dy},
                      .words = spot.words,
                      .size = size,
                      .opacity = 1,
                      .align = best->align,
                      .bold = false});
  }
  return labels;
}

}  // namespace spodnet
