#pragma once

#include <cstddef>
#include <string_view>

namespace spodnet {

/// What stands in one cell of a text table.
struct Cell {
  enum class Kind { missing, number, text, too_large };
  Kind kind = Kind::text;
  double value = 0;         ///< NaN for a missing cell
  char decimal = '\0';      ///< '.' or ',' when a number is written with one
  bool is_integer = false;  ///< a number of digits alone, perhaps signed
};

/// Missing: nothing, NA, N/A, na, NaN, ?, NULL, None, a point or a dash alone, and the like; also
/// the word missing and a spreadsheet's errors, such as #DIV/0!. TRUE
/// and FALSE (True, true, ...) are 1 and 0. A number: what C writes, with `inf` and a leading +
/// allowed, blanks around it ignored, rounded to the nearest double; a decimal comma only with
/// `comma`. Too large: a number beyond the range of double. Anything else is text. The locale plays
/// no part.
Cell read_cell(std::string_view text, bool comma);

/// Behind a sign, nothing but digits, blanks, points, commas and apostrophes, a digit among them:
/// 1,234.5 or 1.000,5. Where it is no number it is one written in a way that is not accepted, not a
/// name. A date is none.
bool resembles_number(std::string_view text);

/// A word for a missing value that should be named where it was taken for one.
bool is_unusual_missing(std::string_view text);

/// 24,996.07 or 1'234 or 1.000,5: digits in groups of three.
bool has_thousands(std::string_view text);

/// `text` without the blanks and tabs around it.
std::string_view trimmed(std::string_view text);

}  // namespace spodnet
