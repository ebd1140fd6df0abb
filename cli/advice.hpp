#pragma once

#include <string>

#include "spodnet/core/advice.hpp"

namespace spodnet::cli {

/// A line of the library without the names of its functions, which say nothing to a user:
/// "glasso_cv: 3 samples cannot ..." is "3 samples cannot ...". A file of such a name stays.
std::string without_functions(std::string line);

/// The library's line with the option that follows its advice: "... (--samples-count N)". `value`
/// is what to give it, where that is known.
std::string with_option(const std::string& line, Advice advice, const std::string& value = "");

}  // namespace spodnet::cli
