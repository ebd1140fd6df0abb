#include "spodnet/core/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

template <class T>
std::optional<T> read_all(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> to_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_all<double>(text);
}

std::optional<std::uint64_t> to_count(std::string_view text) {
  return read_all<std::uint64_t>(text);
}

double parse_double(std::string_view text, const std::string& where) {
  const std::optional<double> value = to_double(text);
  if (!value || !std::isfinite(*value))
    throw Error(where + ": '" + std::string(text) + "' is not a finite number");
  return *value;
}

std::uint64_t parse_count(std::string_view text, const std::string& where) {
  const std::optional<std::uint64_t> value = to_count(text);
  if (!value) throw Error(where + ": '" + std::string(text) + "' is not an integer >= 0");
  return *value;
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t last = std::min(text.find(separator, first), text.size());
    if (last > first) parts.emplace_back(text.substr(first, last - first));
    first = last + 1;
  }
  return parts;
}

std::vector<std::string> split_lists(const std::vector<std::string>& texts, char separator) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (std::string& part : split_list(text, separator)) parts.push_back(std::move(part));
  return parts;
}

std::string exact_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

}  // namespace spodnet
