#include "spodnet/report/raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "spodnet/report/deflate.hpp"

namespace spodnet {
namespace {

/// Along and across the segment, from its middle.
struct Segment {
  Point middle, along;
  double half = 0;

  Segment(Point from, Point to) : middle{(from.x + to.x) / 2, (from.y + to.y) / 2}, along{1, 0} {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    half = length / 2;
    if (length > 0) along = {(to.x - from.x) / length, (to.y - from.y) / length};
  }
  /// Where the row y lies within `reach` of the segment's line.
  std::pair<double, double> row(double y, double reach, double low, double high) const {
    if (std::abs(along.y) < 1e-6) return {low, high};
    const double x = middle.x + (y - middle.y) * along.x / along.y;
    const double around = reach / std::abs(along.y);
    return {std::max(low, x - around), std::min(high, x + around)};
  }
  Point of(Point p) const {
    const double dx = p.x - middle.x, dy = p.y - middle.y;
    return {std::abs(dx * along.x + dy * along.y), std::abs(dy * along.x - dx * along.y)};
  }
};

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes += char(std::uint8_t(value >> shift));
}

void append_chunk(std::string& png, std::string_view kind, std::string_view content) {
  append_big_endian(png, std::uint32_t(content.size()));
  const std::string body = std::string(kind) + std::string(content);
  png += body;
  append_big_endian(png, crc32_of(body));
}

}  // namespace

Raster::Raster(std::size_t width, std::size_t height, const Colour& ground)
    : width_(width), height_(height), pixels_(3 * width * height) {
  for (std::size_t k = 0; k < pixels_.size(); k += 3) {
    pixels_[k] = ground.red;
    pixels_[k + 1] = ground.green;
    pixels_[k + 2] = ground.blue;
  }
}

template <class Row, class Distance>
void Raster::lay(Point low, Point high, const Colour& colour, double opacity, Row&& row,
                 Distance&& distance) {
  const auto within = [](double value, std::size_t size) {
    return std::size_t(std::clamp(value, 0.0, double(size)));
  };
  const std::array<std::uint8_t, 3> ink = {colour.red, colour.green, colour.blue};
  for (std::size_t y = within(low.y - 1, height_); y < within(high.y + 2, height_); ++y) {
    const auto [left, right] = row(double(y) + 0.5);
    for (std::size_t x = within(left - 1, width_); x < within(right + 2, width_); ++x) {
      const double outside = distance(Point{double(x) + 0.5, double(y) + 0.5});
      if (outside >= 0.5) continue;
      const double cover = opacity * std::min(1.0, 0.5 - outside);
      std::uint8_t* pixel = &pixels_[3 * (y * width_ + x)];
      for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = std::uint8_t(std::lround(pixel[c] + cover * (double(ink[c]) - pixel[c])));
    }
  }
}

template <class Distance>
void Raster::lay_segment(Point from, Point to, double half, const Colour& colour, double opacity,
                         Distance&& distance) {
  const Segment segment(from, to);
  const double low = std::min(from.x, to.x) - half, high = std::max(from.x, to.x) + half;
  lay(
      {low, std::min(from.y, to.y) - half}, {high, std::max(from.y, to.y) + half}, colour, opacity,
      [&](double y) { return segment.row(y, half + 1, low, high); },
      [&](Point p) {
        const Point at = segment.of(p);
        return distance(at.x - segment.half, at.y);
      });
}

void Raster::line(Point from, Point to, double width, const Colour& colour, double opacity) {
  // A line thinner than a pixel covers as much as its width.
  const double half = std::max(1.0, width) / 2;
  lay_segment(from, to, half, colour, std::min(1.0, width) * opacity,
              [&](double beyond, double across) { return std::max(beyond, across - half); });
}

void Raster::stroke(Point from, Point to, double width, const Colour& colour, double opacity) {
  const double half = width / 2;
  lay_segment(from, to, half, colour, opacity, [&](double beyond, double across) {
    return std::hypot(std::max(beyond, 0.0), across) - half;
  });
}

void Raster::disc(Point centre, double r, const Colour& colour) {
  lay(
      {centre.x - r, centre.y - r}, {centre.x + r, centre.y + r}, colour, 1,
      [&](double) { return std::pair(centre.x - r, centre.x + r); },
      [&](Point p) { return std::hypot(p.x - centre.x, p.y - centre.y) - r; });
}

void Raster::convex(const Points& corners, double grown, const Colour& colour) {
  Point low = corners[0], high = corners[0];
  for (const Point& p : corners) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  // Corners run clockwise on the page (y downwards): outside lies to the left.
  const auto row = [&](double) { return std::pair(low.x - grown, high.x + grown); };
  lay({low.x - grown, low.y - grown}, {high.x + grown, high.y + grown}, colour, 1, row,
      [&](Point p) {
        double most = -1e300;
        for (std::size_t k = 0; k < corners.size(); ++k) {
          const Point &a = corners[k], &b = corners[(k + 1) % corners.size()];
          const double length = std::hypot(b.x - a.x, b.y - a.y);
          most = std::max(most, ((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length);
        }
        return most - grown;
      });
}

std::string Raster::png() const {
  std::string rows;
  rows.reserve((3 * width_ + 1) * height_);
  for (std::size_t y = 0; y < height_; ++y) {
    rows += char(2);  // each byte as its difference from the one above
    for (std::size_t k = 0; k < 3 * width_; ++k) {
      const std::size_t at = 3 * y * width_ + k;
      rows += char(std::uint8_t(pixels_[at] - (y > 0 ? pixels_[at - 3 * width_] : 0)));
    }
  }
  std::string size;
  append_big_endian(size, std::uint32_t(width_));
  append_big_endian(size, std::uint32_t(height_));
  size += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue, not interlaced
  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk(png, "IHDR", size);
  append_chunk(png, "IDAT", deflated(rows));
  append_chunk(png, "IEND", "");
  return png;
}

}  // namespace spodnet
