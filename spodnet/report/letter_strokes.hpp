#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/metrics/layout.hpp"

namespace spodnet {

/// A letter as polylines within its advance width, in units of the size: x from 0 to
/// letter_width(code_point), y upwards from the baseline, capitals 0.72 high. Latin letters with
/// accents are drawn without them, what is not known as an empty box.
std::vector<Points> letter_strokes(std::uint32_t code_point);

}  // namespace spodnet
