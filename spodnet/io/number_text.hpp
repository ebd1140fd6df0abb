#pragma once

#include <cmath>
#include <string>

#include "spodnet/core/parse.hpp"

namespace spodnet {

/// Appends the shortest text that reads back to the same double: 0.1, -3, 5e-324, inf; every NaN
/// is "NaN". The locale plays no part.
inline void append_number(std::string& text, double value) {
  text += std::isnan(value) ? "NaN" : exact_text(value);
}

}  // namespace spodnet
