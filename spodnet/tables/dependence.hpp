#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Columns of which one is an exact linear function of the others: a sum beside its items, a column
/// that stands twice.
struct Dependence {
  std::vector<std::size_t> columns;  ///< all of them, ascending
  std::size_t leave_out = 0;         ///< the one that looks like the sum: without it none is left
  double correlation = 0;            ///< of two columns: 1 or -1, else 0
};

/// Pairs with |R_ij| = 1 (up to 1e-10), the later one to be left out.
std::vector<Dependence> equal_columns(const Matrix& R);

/// Dependences of any size in correlations R of more rows than columns, each found without the
/// columns to be left out for the earlier ones: column j depends on those before it when
/// 1 - R_jK R_KK^{-1} R_Kj < 1e-9. To be left out is the column with the largest coefficient in
/// standard units, which a sum of several always has. Cost p^3 / 3, and as much for each one found.
std::vector<Dependence> find_dependences(const Matrix& R);

/// Groups of columns that follow from each other but for rounding, in the correlations R of n rows:
/// R^2 on all others, corrected for their number, is above kNearlyExact, and partial correlations
/// within a group exceed 1/2. Empty where R has no inverse or rows are too few. Cost p^3.
std::vector<std::vector<std::size_t>> near_dependences(const Matrix& R, double n);

inline constexpr double kNearlyExact = 0.999;

}  // namespace spodnet
