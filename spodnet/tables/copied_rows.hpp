#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Rows that equal each other in every column.
struct CopiedRows {
  std::vector<std::uint32_t> number;  ///< of each row: equal rows have equal ones, from 0
  std::size_t different = 0;
};

/// The copies in a table (n x p, NaN where missing; two missing values are equal) if chance does
/// not make them: at least two rows and more than three times as many as rows coincide where each
/// pair does so with probability sqrt(prod_j sum_v share_jv^2), the root of that of independent
/// columns. Cost: n p log n.
std::optional<CopiedRows> find_copied_rows(const MatrixRef& X);

/// Whether at least so many rows differ from each other; those after the first that do are not
/// read.
bool has_different_rows(const MatrixRef& X, std::size_t least);

}  // namespace spodnet
