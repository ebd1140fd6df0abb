#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// What the values of each column of a table are like, for synthetic rows that look alike.
struct Margins {
  std::vector<std::vector<double>> values;  ///< of each column, ascending; empty: Gaussian
  std::vector<ColumnKind> kinds;            ///< as in the table where it has levels; else empty
  std::size_t rows = 0;                     ///< with the information of the table's n

  bool gaussian() const { return values.empty(); }
  /// Whether levels are so uneven that resamples tell little of shares (supports_of).
  bool by_error() const { return !kinds.empty(); }
};

/// The margins of a table for the check of shares: Gaussian unless a column has heavy tails
/// (has_heavy_tails) or levels so uneven that an ordered column keeps less than half of the
/// Gaussian variable behind it: then those of all such columns. Even levels only take away rows,
/// which n says.
Margins margins_of(const Analysis& analysis);

/// Rows of Gaussian variables (n x p, any units) with these margins, as an analysis sees a table:
/// a value becomes the one of the same rank in its column.
WorkingData with_margins(const Margins& margins, const MatrixRef& X, bool standardize);

inline constexpr double kUnevenLevels = 0.5;  ///< information of an ordered column

}  // namespace spodnet
