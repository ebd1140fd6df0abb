#include <fmt/format.h>

#include "spodnet/report/export_text.hpp"
#include "spodnet/report/picture.hpp"

namespace spodnet {
namespace {

void append_svg(std::string& svg, const PictureLine& line) {
  svg += fmt::format(
      R"(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" stroke="{}" stroke-width="{:.2f}")",
      line.from.x, line.from.y, line.to.x, line.to.y, to_string(line.colour), line.width);
  if (line.opacity < 1) svg += fmt::format(R"( stroke-opacity="{:.2f}")", line.opacity);
  if (line.dash > 0)
    svg += fmt::format(R"( stroke-dasharray="{:.2f} {:.2f}")", line.dash, line.gap);
  svg += "/>\n";
}

void append_svg(std::string& svg, const PictureMark& mark) {
  const std::string style =
      fmt::format(R"(fill="{}" stroke="{}" stroke-width="{:.2f}" stroke-linejoin="round"/>)",
                  to_string(mark.fill), to_string(mark.border), mark.border_width);
  if (mark.corners.empty()) {
    svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" {}\n", mark.at.x,
                       mark.at.y, mark.r, style);
    return;
  }
  std::string points;
  for (const Point& p : mark.corners)
    points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", p.x, p.y);
  svg += fmt::format("<polygon points=\"{}\" {}\n", points, style);
}

void append_svg(std::string& svg, const PictureText& text, const Picture& picture) {
  const char* anchor = text.align == Align::left    ? "start"
                       : text.align == Align::right ? "end"
                                                    : "middle";
  // The baseline is moved by hand: not every program knows dominant-baseline.
  svg += fmt::format(
      R"(<text x="{:.2f}" y="{:.2f}" text-anchor="{}" font-size="{:g}" fill="{}" stroke="{}" )"
      R"(stroke-width="3.5" stroke-linejoin="round" paint-order="stroke")",
      text.at.x, text.at.y + 0.36 * text.size, anchor, text.size, to_string(picture.ink),
      to_string(picture.ground));
  if (text.bold) svg += R"( font-weight="700")";
  if (text.opacity < 1) svg += fmt::format(R"( opacity="{:.2f}")", text.opacity);
  svg += ">" + xml_text(text.words) + "</text>\n";
}

}  // namespace

std::string picture_svg(const Picture& picture) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 "
      "{0:g} {1:g}\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'Noto Sans', "
      "sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"{2}\"/>\n",
      picture.width, picture.height, to_string(picture.ground));
  for (const PictureLine& line : picture.lines) append_svg(svg, line);
  for (const PictureMark& mark : picture.marks) append_svg(svg, mark);
  for (const PictureText& text : picture.texts) append_svg(svg, text, picture);
  return svg + "</svg>\n";
}

}  // namespace spodnet
