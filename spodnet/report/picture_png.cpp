#include <algorithm>
#include <cmath>

#include "spodnet/report/letter_strokes.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/picture.hpp"
#include "spodnet/report/raster.hpp"

namespace spodnet {
namespace {

constexpr double kStrokeWidth = 0.085, kBoldWidth = 0.14;  // of the size
constexpr double kPngHalo = 3.5;

Point scaled(Point p, double by) { return {by * p.x, by * p.y}; }

void lay_line(Raster& raster, const PictureLine& line, double density) {
  const Point from = scaled(line.from, density), to = scaled(line.to, density);
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double dash = density * line.dash, step = dash + density * line.gap;
  if (!(dash > 0) || !(length > 0))
    return raster.line(from, to, density * line.width, line.colour, line.opacity);
  const auto at = [&](double s) {
    return Point{from.x + s / length * (to.x - from.x), from.y + s / length * (to.y - from.y)};
  };
  for (double s = 0; s < length; s += step)
    raster.line(at(s), at(std::min(s + dash, length)), density * line.width, line.colour,
                line.opacity);
}

void lay_mark(Raster& raster, const PictureMark& mark, double density) {
  const double half = density * mark.border_width / 2, r = density * mark.r;
  if (mark.corners.empty()) {
    raster.disc(scaled(mark.at, density), r + half, mark.border);
    return raster.disc(scaled(mark.at, density), r - half, mark.fill);
  }
  Points corners;
  for (const Point& p : mark.corners) corners.push_back(scaled(p, density));
  raster.convex(corners, half, mark.border);
  raster.convex(corners, -half, mark.fill);
}

void lay_text(Raster& raster, const PictureText& text, const Picture& picture, double density) {
  const double width = text_width(text.words, text.size);
  const double left = text.at.x - (text.align == Align::left    ? 0
                                   : text.align == Align::right ? width
                                                                : width / 2);
  const double base = text.at.y + 0.36 * text.size;
  const double pen = (text.bold ? kBoldWidth : kStrokeWidth) * text.size;
  for (const bool halo : {true, false}) {
    double x = left;
    for (const std::uint32_t letter : code_points(text.words)) {
      for (const Points& stroke : letter_strokes(letter))
        for (std::size_t k = 0; k + 1 < stroke.size(); ++k) {
          const auto at = [&](Point p) {
            return scaled({x + text.size * p.x, base - text.size * p.y}, density);
          };
          raster.stroke(at(stroke[k]), at(stroke[k + 1]), density * (pen + (halo ? kPngHalo : 0)),
                        halo ? picture.ground : picture.ink, text.opacity);
        }
      x += text.size * letter_width(letter);
    }
  }
}

}  // namespace

std::string picture_png(const Picture& picture, double density) {
  const auto pixels = [&](double length) { return std::size_t(std::ceil(density * length)); };
  Raster raster(pixels(picture.width), pixels(picture.height), picture.ground);
  for (const PictureLine& line : picture.lines) lay_line(raster, line, density);
  for (const PictureMark& mark : picture.marks) lay_mark(raster, mark, density);
  for (const PictureText& text : picture.texts) lay_text(raster, text, picture, density);
  return raster.png();
}

}  // namespace spodnet
