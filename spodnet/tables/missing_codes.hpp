#pragma once

#include <optional>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// A number that may stand for a missing value.
struct MissingCode {
  double value = 0;
  std::size_t count = 0;     ///< of rows
  double low = 0, high = 0;  ///< of the other values
};

/// 9, 99, 999, ..., 88, 77 and 98, 97 and their like, of either sign, or -1, as the smallest or
/// largest value of a column, away from the others: from consecutive whole numbers by 2 or more (9
/// beside 1 to 5; a single digit twice or more), else, where it stands twice or more, by more than
/// half of their range. The larger one in size of two.
std::optional<MissingCode> find_missing_code(const Eigen::Ref<const Vector>& column);

}  // namespace spodnet
