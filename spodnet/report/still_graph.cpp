#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/report/export_text.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/picture_labels.hpp"
#include "spodnet/report/plain_page.hpp"

namespace spodnet {
namespace {

constexpr double kWidth = 520, kMargin = 46, kThickest = 7, kMark = 5, kTextSize = 12;
constexpr double kBend = 0.12,
                 kArrowHead = 7;  // of an arrow: sideways over its length; of its head

/// Places of the variables inside a picture of kWidth.
struct Frame {
  double left = 0, top = 0, scale = 1, height = kWidth;
  explicit Frame(const Points& points) {
    double right = -1e300, bottom = -1e300;
    left = top = 1e300;
    for (const Point& at : points) {
      left = std::min(left, at.x), right = std::max(right, at.x);
      top = std::min(top, at.y), bottom = std::max(bottom, at.y);
    }
    const double span = std::max(right - left, 1e-9);
    scale = (kWidth - 2 * kMargin) / span;
    scale = std::min(scale, (1.2 * kWidth - 2 * kMargin) / std::max(bottom - top, 1e-9));
    height = scale * (bottom - top) + 2 * kMargin;
    left -= (kWidth / scale - (right - left)) / 2;
  }
  Point place(const Point& at) const {
    return {scale * (at.x - left), scale * (at.y - top) + kMargin};
  }
};

double thickness(double weight) {
  return weight == 0 ? 0 : std::max(0.6, kThickest * std::sqrt(std::abs(weight)));
}

std::string class_of(const StillLink& link) {
  return std::string(link.weight < 0 ? "minus" : "plus") + (link.faint ? " faint" : "");
}

std::string line(const Point& a, const Point& b, const StillLink& link) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke-width=\"{:.2f}\"><title>{}</title></line>",
      class_of(link), a.x, a.y, b.x, b.y, thickness(link.weight), xml_text(link.words));
}

/// A bent arrow that ends beside the mark, or a loop above it.
std::string arrow(const Point& a, const Point& b, const StillLink& link) {
  const double width = 0.7 * thickness(link.weight);
  std::string path;
  if (link.from == link.to) {
    path = fmt::format("M{:.1f} {:.1f} c-22 -26 22 -26 {:.1f} 0", a.x - 3, a.y - kMark, 6.0);
  } else {
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(std::hypot(dx, dy), 1e-9);
    const double reach = kMark + kArrowHead * 0.5 + width / 2;
    const Point middle{(a.x + b.x) / 2 - kBend * dy, (a.y + b.y) / 2 + kBend * dx};
    const double ux = b.x - middle.x, uy = b.y - middle.y, u = std::max(std::hypot(ux, uy), 1e-9);
    const Point end{b.x - reach * ux / u, b.y - reach * uy / u};
    const double side = 0.5 * kArrowHead, ex = ux / u, ey = uy / u;
    path = fmt::format("M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y, middle.x, middle.y,
                       end.x, end.y);
    if (length > 4 * kMark)
      path += fmt::format(" m{:.1f} {:.1f} L{:.1f} {:.1f} L{:.1f} {:.1f}",
                          -kArrowHead * ex - side * ey, -kArrowHead * ey + side * ex, end.x, end.y,
                          end.x - kArrowHead * ex + side * ey, end.y - kArrowHead * ey - side * ex);
  }
  return fmt::format(
      "<path class=\"{}\" fill=\"none\" d=\"{}\" stroke-width=\"{:.2f}\"><title>{}</title></path>",
      class_of(link), path, width, xml_text(link.words));
}

/// The names, clear of each other and of the links where they can be.
std::string labels(const std::vector<std::string>& names, const Points& places, double height,
                   const std::vector<StillLink>& links) {
  std::vector<LabelSpot> spots;
  std::vector<PictureLine> lines;
  std::vector<double> importance(names.size(), 0.0);
  for (const StillLink& link : links) {
    importance[link.from] += std::abs(link.weight), importance[link.to] += std::abs(link.weight);
    if (names.size() <= 80 && link.from != link.to)
      lines.push_back({places[link.from], places[link.to]});
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    spots.push_back({.at = places[i],
                     .r = kMark,
                     .importance = importance[i],
                     .words = shortened(clean_text(names[i])),
                     .must = names.size() <= 40});
  std::string svg;
  for (const PictureText& text : place_labels(spots, kTextSize, lines, {}, {0, 0, kWidth, height}))
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\".35em\" text-anchor=\"{}\">{}</text>",
                       text.at.x, text.at.y,
                       text.align == Align::left     ? "start"
                       : text.align == Align::centre ? "middle"
                                                     : "end",
                       xml_text(text.words));
  return svg;
}

}  // namespace

std::string still_graph(const std::vector<std::string>& names, const Points& points,
                        const std::vector<StillLink>& links, const std::string& label,
                        bool directed) {
  const Frame frame(points);
  Points places;
  for (const Point& at : points) places.push_back(frame.place(at));
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", kWidth,
                  frame.height, xml_text(label));
  for (const StillLink& link : links)
    svg += (directed ? arrow : line)(places[link.from], places[link.to], link);
  for (const Point& at : places)
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", at.x, at.y, kMark);
  return svg + labels(names, places, frame.height, links) + "</svg>";
}

}  // namespace spodnet
