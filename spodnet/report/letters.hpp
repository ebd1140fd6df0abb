#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spodnet {

/// The code points of UTF-8 text.
std::vector<std::uint32_t> code_points(std::string_view text);

/// Advance width of a letter in Helvetica, which other sans-serif fonts nearly have, as a share of
/// the size.
double letter_width(std::uint32_t code_point);
double text_width(std::string_view words, double size);

/// At most `limit` letters on one line, the last one an ellipsis where something was cut.
std::string shortened(std::string_view name, std::size_t limit = 22);

}  // namespace spodnet
