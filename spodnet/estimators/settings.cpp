#include "spodnet/estimators/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet {

const std::string* Settings::find(const std::string& key) {
  known_.insert(key);
  const auto at = spec_.settings.find(key);
  return at == spec_.settings.end() ? nullptr : &at->second;
}

bool Settings::has(const std::string& key) { return find(key) != nullptr; }

std::string Settings::text(const std::string& key, const std::string& fallback) {
  const std::string* value = find(key);
  return value ? *value : fallback;
}

double Settings::number(const std::string& key, double fallback) {
  const std::string* value = find(key);
  return value ? parse_double(*value, where(key)) : fallback;
}

int Settings::count(const std::string& key, int fallback) {
  const std::string* value = find(key);
  if (!value) return fallback;
  const std::uint64_t count = parse_count(*value, where(key));
  if (count > std::uint64_t(std::numeric_limits<int>::max()))
    throw Error(where(key) + "=" + *value + " is too large");
  return int(count);
}

bool Settings::flag(const std::string& key, bool fallback) {
  const std::string* value = find(key);
  if (!value) return fallback;
  if (*value != "true" && *value != "false")
    throw Error(where(key) + "=" + *value + " is neither true nor false");
  return *value == "true";
}

void Settings::done() const {
  for (const auto& [key, value] : spec_.settings)
    if (!known_.contains(key))
      throw Error(spec_.name + ": unknown setting '" + key + "': it has " +
                  (known_.empty() ? "none" : fmt::format("{}", fmt::join(known_, ", "))));
}

}  // namespace spodnet
