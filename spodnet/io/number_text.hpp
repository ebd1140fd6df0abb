#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace spodnet {

/// Appends the shortest text that reads back to the same double: 0.1, -3, 5e-324, inf; every NaN
/// is "NaN". The locale plays no part. (Not by exact_text of core/parse.hpp: the fuzzers link this
/// room alone.)
inline void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
    return;
  }
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  text.append(buffer, end);
}

}  // namespace spodnet
