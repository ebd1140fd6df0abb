#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/workflow/answer.hpp"

namespace spodnet {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// `#1f6fb2`; nothing for any other text.
std::optional<Colour> colour_from(std::string_view text);
std::string to_string(const Colour& colour);

/// An edge, or a line of the key.
struct PictureLine {
  Point from, to;
  double width = 1, opacity = 1;
  double dash = 0, gap = 0;  ///< 0: drawn through
  Colour colour;
};

/// A variable: a circle of radius r, or a polygon.
struct PictureMark {
  Point at;
  double r = 0;
  Points corners;  ///< on the page; empty: a circle
  Colour fill, border;
  double border_width = 0;
};

enum class Align { left, centre, right };

/// Words, vertically centred at a point, with a halo of the ground's colour.
struct PictureText {
  Point at;
  std::string words;
  double size = 0, opacity = 1;
  Align align = Align::left;
  bool bold = false;
};

/// A graph as it stands on a page, y downwards: lines below marks below texts. Colours, widths and
/// places are those of the report's first view.
struct Picture {
  double width = 1200, height = 800;
  Colour ground = {255, 255, 255}, ink = {34, 37, 42};
  std::vector<PictureLine> lines;
  std::vector<PictureMark> marks;
  std::vector<PictureText> texts;
};

/// The answer drawn at `points`, one per variable. A graph with many edges shows its strongest, as
/// the report does at first, and says so. Cost: labels times edges.
Picture draw_picture(const Answer& answer, const Points& points);

/// The picture as a file: SVG text; a PDF of one page with the fonts every reader has (letters
/// beyond Latin-1 become '?'); a PNG of `density` pixels per unit with letters of straight strokes.
std::string picture_svg(const Picture& picture);
std::string picture_pdf(const Picture& picture);
std::string picture_png(const Picture& picture, double density = 2);

}  // namespace spodnet
