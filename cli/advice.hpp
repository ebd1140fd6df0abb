#pragma once

#include <string>

#include "spodnet/core/advice.hpp"

namespace spodnet::cli {

/// The library's line with the option that follows its advice: "... (--samples-count N)". `value`
/// is what to give it, where that is known.
std::string with_option(const std::string& line, Advice advice, const std::string& value = "");

}  // namespace spodnet::cli
