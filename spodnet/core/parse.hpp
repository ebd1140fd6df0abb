#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spodnet {

/// All of `text` as a decimal number (inf and nan included), independent of the locale.
std::optional<double> to_double(std::string_view text);

/// All of `text` as a decimal integer >= 0.
std::optional<std::uint64_t> to_count(std::string_view text);

/// The same for text a person wrote: throws Error "WHERE: 'text' is not a finite number".
double parse_double(std::string_view text, const std::string& where);
std::uint64_t parse_count(std::string_view text, const std::string& where);

/// The parts of "a,b" that are not empty; and those of several such lists.
std::vector<std::string> split_list(std::string_view text, char separator = ',');
std::vector<std::string> split_lists(const std::vector<std::string>& texts, char separator = ',');

/// Shortest text that reads back as exactly `value`.
std::string exact_text(double value);

}  // namespace spodnet
