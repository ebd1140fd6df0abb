#include "spodnet/io/cell.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace spodnet {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view kMissing[] = {"",     "NA",  "N/A",  "n/a",  "na",   "NaN",
                                         "nan",  "NAN", "-nan", "?",    "NULL", "null",
                                         "None", ".",   "-",    "#N/A", "<NA>"};

constexpr std::string_view kUnusualMissing[] = {
    "missing", "Missing", "MISSING", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"};

bool is_missing(std::string_view text) {
  return std::find(std::begin(kMissing), std::end(kMissing), text) != std::end(kMissing) ||
         is_unusual_missing(text);
}

/// 1 and 0 of what programs write for true and false.
const double* truth_value(std::string_view text) {
  static constexpr double kTrue = 1, kFalse = 0;
  if (text == "TRUE" || text == "True" || text == "true") return &kTrue;
  if (text == "FALSE" || text == "False" || text == "false") return &kFalse;
  return nullptr;
}

/// For a well-formed number that no double holds: true when it is huge, false when it is tiny.
/// Compares the place of its first non-zero digit, exponent included, with one.
bool is_huge(std::string_view text) {
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t lead = mantissa.find_first_of("123456789");
  if (lead == std::string_view::npos) return false;
  const double place = static_cast<double>(point) - static_cast<double>(lead);
  if (mark == std::string_view::npos) return place > 0;
  std::string_view exponent = text.substr(mark + 1);
  const bool negative = exponent.starts_with('-');
  if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  double power = 0;
  for (const char c : exponent) power = std::min(1e18, 10 * power + (c - '0'));
  return place + (negative ? -power : power) > 0;
}

Cell read_number(std::string_view text) {
  Cell cell;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, cell.value);
  // from_chars also takes "nan(...)"; a number has a digit or is an infinity.
  if (stop != end || code == std::errc::invalid_argument || std::isnan(cell.value)) return cell;
  cell.kind = Cell::Kind::number;
  if (code == std::errc::result_out_of_range) {
    if (is_huge(text)) cell.kind = Cell::Kind::too_large;
    cell.value = text.starts_with('-') ? -0.0 : 0.0;
  }
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  cell.is_integer = std::all_of(digits.begin(), digits.end(), is_digit);
  return cell;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_unusual_missing(std::string_view text) {
  return (text.starts_with('#') || text.starts_with('m') || text.starts_with('M')) &&
         std::find(std::begin(kUnusualMissing), std::end(kUnusualMissing), text) !=
             std::end(kUnusualMissing);
}

bool has_thousands(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const std::size_t lead = digits();
  if (lead < 1 || lead > 3 || text.empty()) return false;
  const char group = text[0];
  if (std::string_view(",.' ").find(group) == std::string_view::npos) return false;
  while (text.starts_with(group)) {
    text.remove_prefix(1);
    if (digits() != 3) return false;
  }
  if (text.empty()) return true;
  if (text[0] != '.' && text[0] != ',') return false;
  text.remove_prefix(1);
  digits();
  return text.empty();
}

bool resembles_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789., '") == std::string_view::npos &&
         std::any_of(text.begin(), text.end(), is_digit);
}

Cell read_cell(std::string_view text, bool comma) {
  text = trimmed(text);
  if (is_missing(text))
    return {Cell::Kind::missing, std::numeric_limits<double>::quiet_NaN(), '\0', false};
  if (const double* truth = truth_value(text)) return {Cell::Kind::number, *truth, '\0', true};
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const bool point = text.find('.') != std::string_view::npos;
  const std::size_t place = comma && !point ? text.find(',') : std::string_view::npos;
  if (place == std::string_view::npos) {
    Cell cell = read_number(text);
    if (point) cell.decimal = '.';
    return cell;
  }
  std::string copy(text);
  copy[place] = '.';
  Cell cell = read_number(copy);
  cell.decimal = ',';
  return cell;
}

}  // namespace spodnet
