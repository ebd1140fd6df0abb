#include "spodnet/report/letters.hpp"

#include <array>

#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

constexpr std::uint32_t kFirstLetter = 32;
constexpr int kOtherLetter = 556, kWideLetter = 1000;
constexpr std::uint32_t kWideFrom = 0x1100;  // Hangul, and what stands behind it

/// Helvetica's advance widths of the characters 32 to 126, in thousandths of the size.
constexpr std::array<int, 95> kWidths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

}  // namespace

std::vector<std::uint32_t> code_points(std::string_view text) {
  const std::string utf8 = to_utf8(text);
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0, length = 0; i < utf8.size(); i += length) {
    length = utf8_length(std::string_view(utf8).substr(i));
    const auto byte = [&](std::size_t k) { return std::uint32_t(std::uint8_t(utf8[i + k])); };
    std::uint32_t point = length == 1 ? byte(0) : byte(0) & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) point = (point << 6) | (byte(k) & 0x3Fu);
    out.push_back(point);
  }
  return out;
}

double letter_width(std::uint32_t point) {
  if (point >= kFirstLetter && point < kFirstLetter + kWidths.size())
    return kWidths[point - kFirstLetter] / 1000.0;
  if (point == 0x2026) return 1;  // an ellipsis
  return (point >= kWideFrom && point < 0x2000) || point >= 0x2E80 ? kWideLetter / 1000.0
                                                                   : kOtherLetter / 1000.0;
}

double text_width(std::string_view words, double size) {
  double width = 0;
  for (const std::uint32_t point : code_points(words)) width += letter_width(point);
  return width * size;
}

std::string shortened(std::string_view name, std::size_t limit) {
  const std::string utf8 = to_utf8(name);
  std::string out;
  std::size_t letters = 0, end = 0;  // `end`: behind the last letter of the limit but one
  for (std::size_t i = 0, length = 0; i < utf8.size(); i += length) {
    length = utf8_length(std::string_view(utf8).substr(i));
    const bool control = std::uint8_t(utf8[i]) < 0x20 || utf8[i] == 0x7F;
    if (control && (out.empty() || out.back() == ' ')) continue;
    out += control ? " " : utf8.substr(i, length);
    if (++letters == limit - 1) end = out.size();
  }
  if (letters <= limit) return out;
  while (end > 0 && out[end - 1] == ' ') --end;
  return out.substr(0, end) + "\xE2\x80\xA6";
}

}  // namespace spodnet
