#include "spodnet/generate/sparsity_levels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet {
namespace {

double number(std::string_view text, const std::string& whole) {
  const std::optional<double> value = to_double(text);
  if (!value)
    throw Error(fmt::format(
        "alpha '{}': '{}' is not a number; write 0.95, a list 0.7,0.95 or a range 0.7:0.95", whole,
        text));
  return *value;
}

}  // namespace

double SparsityLevels::at(std::size_t index, RandomStream& random) const {
  return range ? random.uniform(values[0], values[1]) : values[index % values.size()];
}

void check_sparsity_levels(const SparsityLevels& levels) {
  const std::string text = to_string(levels);
  if (levels.values.empty()) throw Error("alpha: no value given");
  for (const double alpha : levels.values)
    if (!(alpha >= 0 && alpha <= 1))
      throw Error(fmt::format("alpha '{}': {} does not lie in [0, 1]", text, alpha));
  if (levels.range && (levels.values.size() != 2 || levels.values[0] > levels.values[1]))
    throw Error(fmt::format("alpha '{}': a range is low:high with low <= high", text));
}

SparsityLevels sparsity_levels_from(const std::string& text) {
  SparsityLevels levels{{}, text.find(':') != std::string::npos};
  const char separator = levels.range ? ':' : ',';
  for (std::string_view rest = text;;) {
    const auto end = rest.find(separator);
    levels.values.push_back(number(rest.substr(0, end), text));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  check_sparsity_levels(levels);
  return levels;
}

std::string to_string(const SparsityLevels& levels) {
  return fmt::format("{}", fmt::join(levels.values, levels.range ? ":" : ","));
}

}  // namespace spodnet
