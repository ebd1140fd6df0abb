#pragma once

#include <string>
#include <string_view>

#include "spodnet/io/cell.hpp"

namespace spodnet {

/// Whether the numbers of one column, seen cell by cell, may be thousands: 1.234 beside 890.
class PointDoubt {
 public:
  void see(std::string_view text, const Cell& cell, std::size_t line);

  /// All that have a decimal sign have three digits behind it and no zero before it, and there are
  /// integers, of at most three digits and one of three.
  bool arises() const { return point_line_ > 0 && integer_line_ > 0 && !settled_; }
  std::string point, integer;  ///< one of each

  std::size_t line() const { return point_line_; }

 private:
  std::size_t point_line_ = 0, integer_line_ = 0;
  bool settled_ = false;
};

inline void PointDoubt::see(std::string_view text, const Cell& cell, std::size_t line) {
  if (settled_ || cell.kind != Cell::Kind::number) return;
  if (cell.decimal != '\0') {
    settled_ = text.size() < 5 || text[text.size() - 4] != cell.decimal || !has_thousands(text) ||
               text.find_first_not_of("+-0") != text.find_first_of("123456789");
    if (!settled_ && point_line_ == 0) point_line_ = line, point = text;
    return;
  }
  settled_ = !cell.is_integer || cell.value >= 1000 || cell.value <= -1000;
  if (!settled_ && integer_line_ == 0 && (cell.value >= 100 || cell.value <= -100))
    integer_line_ = line, integer = text;
}

}  // namespace spodnet
