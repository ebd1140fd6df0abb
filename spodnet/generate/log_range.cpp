#include "spodnet/generate/log_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet {
namespace {

struct Ends {
  std::string low, high;
};

Ends ends_of(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

template <class Number>
void check_ends(Number low, Number high, const std::string& text, const std::string& where) {
  if (!(low > 0)) throw Error(fmt::format("{} '{}': it must be positive", where, text));
  if (!(low <= high))
    throw Error(fmt::format("{} '{}': a range is low:high with low <= high", where, text));
}

}  // namespace

double LogRange::at(double u) const { return low * std::pow(high / low, u); }

std::size_t SizeRange::at(double u) const {
  if (single()) return low;
  const double drawn = double(low) * std::pow(double(high + 1) / double(low), u);
  return std::clamp(std::size_t(drawn), low, high);
}

LogRange log_range_from(const std::string& text, const std::string& where) {
  const Ends ends = ends_of(text);
  const LogRange range{parse_double(ends.low, where), parse_double(ends.high, where)};
  check_ends(range.low, range.high, text, where);
  return range;
}

SizeRange size_range_from(const std::string& text, const std::string& where) {
  const Ends ends = ends_of(text);
  const SizeRange range(parse_count(ends.low, where), parse_count(ends.high, where));
  check_ends(range.low, range.high, text, where);
  return range;
}

std::string to_string(const LogRange& range) {
  return range.low == range.high ? exact_text(range.low)
                                 : exact_text(range.low) + ":" + exact_text(range.high);
}

std::string to_string(const SizeRange& range) {
  return range.single() ? fmt::format("{}", range.low)
                        : fmt::format("{}:{}", range.low, range.high);
}

}  // namespace spodnet
