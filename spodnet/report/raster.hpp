#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spodnet/report/picture.hpp"

namespace spodnet {

/// Pixels that shapes are laid upon with smooth edges: a pixel is covered by 1/2 minus its signed
/// distance to the shape, between 0 and 1. All lengths are in pixels.
class Raster {
 public:
  Raster(std::size_t width, std::size_t height, const Colour& ground);

  void line(Point from, Point to, double width, const Colour& colour, double opacity);
  void stroke(Point from, Point to, double width, const Colour& colour, double opacity);  ///< round
  void disc(Point centre, double r, const Colour& colour);
  void convex(const Points& corners, double grown, const Colour& colour);  ///< `grown` on all sides

  /// As a PNG of 8 bits per channel.
  std::string png() const;

 private:
  template <class Row, class Distance>
  void lay(Point low, Point high, const Colour& colour, double opacity, Row&& row,
           Distance&& distance);
  template <class Distance>
  void lay_segment(Point from, Point to, double half, const Colour& colour, double opacity,
                   Distance&& distance);

  std::size_t width_, height_;
  std::vector<std::uint8_t> pixels_;  ///< red, green, blue, row by row
};

}  // namespace spodnet
