#include <fmt/format.h>

#include <cmath>
#include <set>

#include "spodnet/report/deflate.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/picture.hpp"

namespace spodnet {
namespace {

constexpr double kPointsPerUnit = 0.6;  // 1200 units are 720 points: ten inches
constexpr double kArc = 0.5522847498;   // control points of a quarter circle
constexpr double kPdfHalo = 3.5;

std::string pdf_colour(const Colour& c, const char* operation) {
  return fmt::format("{:.3f} {:.3f} {:.3f} {}\n", c.red / 255.0, c.green / 255.0, c.blue / 255.0,
                     operation);
}

/// Opacities are named objects: /A55 is 0.55.
std::string pdf_opacity(double opacity) {
  return fmt::format("/A{} gs\n", int(std::lround(opacity * 100)));
}

void append_pdf(std::string& page, const PictureLine& line) {
  page += pdf_opacity(line.opacity) + pdf_colour(line.colour, "RG");
  page += line.dash > 0 ? fmt::format("[{:.2f} {:.2f}] 0 d\n", line.dash, line.gap) : "[] 0 d\n";
  page += fmt::format("{:.2f} w {:.2f} {:.2f} m {:.2f} {:.2f} l S\n", line.width, line.from.x,
                      line.from.y, line.to.x, line.to.y);
}

std::string pdf_circle(Point c, double r) {
  const double k = kArc * r;
  const auto curve = [](double x1, double y1, double x2, double y2, double x, double y) {
    return fmt::format("{:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} c\n", x1, y1, x2, y2, x, y);
  };
  return fmt::format("{:.2f} {:.2f} m\n", c.x + r, c.y) +
         curve(c.x + r, c.y + k, c.x + k, c.y + r, c.x, c.y + r) +
         curve(c.x - k, c.y + r, c.x - r, c.y + k, c.x - r, c.y) +
         curve(c.x - r, c.y - k, c.x - k, c.y - r, c.x, c.y - r) +
         curve(c.x + k, c.y - r, c.x + r, c.y - k, c.x + r, c.y);
}

void append_pdf(std::string& page, const PictureMark& mark) {
  page += pdf_opacity(1) + "[] 0 d\n" + pdf_colour(mark.fill, "rg") + pdf_colour(mark.border, "RG");
  page += fmt::format("{:.2f} w 1 j\n", mark.border_width);
  if (mark.corners.empty()) page += pdf_circle(mark.at, mark.r);
  for (std::size_t k = 0; k < mark.corners.size(); ++k)
    page +=
        fmt::format("{:.2f} {:.2f} {}\n", mark.corners[k].x, mark.corners[k].y, k == 0 ? "m" : "l");
  page += "b\n";  // close, fill and stroke
}

/// A string in WinAnsiEncoding: Latin-1, and the ellipsis.
std::string pdf_string(std::string_view words) {
  std::string out = "<";
  for (const std::uint32_t point : code_points(words)) {
    const bool known = (point >= 32 && point < 127) || (point >= 0xA0 && point < 0x100);
    out += fmt::format("{:02X}", point == 0x2026 ? 0x85u : known ? point : std::uint32_t('?'));
  }
  return out + ">";
}

void append_pdf(std::string& page, const PictureText& text, const Picture& picture) {
  const double width = text_width(text.words, text.size);
  const double left = text.at.x - (text.align == Align::left    ? 0
                                   : text.align == Align::right ? width
                                                                : width / 2);
  page += pdf_opacity(text.opacity) + pdf_colour(picture.ground, "RG") +
          pdf_colour(picture.ink, "rg") + fmt::format("[] 0 d {} w 1 j\n", kPdfHalo);
  const std::string words = pdf_string(text.words);
  for (const int mode : {1, 0})  // the halo, then the letters
    page += fmt::format("BT /{} {:g} Tf {} Tr 1 0 0 -1 {:.2f} {:.2f} Tm {} Tj ET\n",
                        text.bold ? "FB" : "FR", text.size, mode, left,
                        text.at.y + 0.36 * text.size, words);
}

std::string page_content(const Picture& picture) {
  // One unit of the picture, y downwards.
  std::string page =
      fmt::format("{0} 0 0 -{0} 0 {1:.2f} cm\n", kPointsPerUnit, kPointsPerUnit * picture.height);
  page += pdf_colour(picture.ground, "rg") +
          fmt::format("0 0 {:g} {:g} re f\n", picture.width, picture.height);
  for (const PictureLine& line : picture.lines) append_pdf(page, line);
  for (const PictureMark& mark : picture.marks) append_pdf(page, mark);
  for (const PictureText& text : picture.texts) append_pdf(page, text, picture);
  return page;
}

std::string opacities(const Picture& picture) {
  std::set<int> used = {100};
  for (const PictureLine& line : picture.lines) used.insert(int(std::lround(line.opacity * 100)));
  for (const PictureText& text : picture.texts) used.insert(int(std::lround(text.opacity * 100)));
  std::string out;
  for (const int percent : used)
    out += fmt::format("/A{0} << /CA {1:.2f} /ca {1:.2f} >> ", percent, percent / 100.0);
  return out;
}

/// With its widths, so that a reader without Helvetica keeps to them.
std::string font_object(const char* name) {
  std::string widths;
  for (std::uint32_t letter = 32; letter < 256; ++letter)
    widths += fmt::format("{:g} ", 1000 * letter_width(letter == 0x85 ? 0x2026 : letter));
  return fmt::format(
      "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding /FirstChar 32 "
      "/LastChar 255 /Widths [{}] >>",
      name, widths);
}

}  // namespace

std::string picture_pdf(const Picture& picture) {
  const std::string content = deflated(page_content(picture));
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents 4 0 R "
                  "/Resources << /Font << /FR 5 0 R /FB 6 0 R >> /ExtGState << {}>> >> >>",
                  kPointsPerUnit * picture.width, kPointsPerUnit * picture.height,
                  opacities(picture)),
      fmt::format("<< /Length {} /Filter /FlateDecode >>\nstream\n", content.size()) + content +
          "\nendstream",
      font_object("Helvetica"),
      font_object("Helvetica-Bold")};
  std::string pdf = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n";
  std::string places = fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    places += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n", k + 1) + objects[k] + "\nendobj\n";
  }
  const std::size_t start = pdf.size();
  return pdf + places +
         fmt::format("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
                     objects.size() + 1, start);
}

}  // namespace spodnet
