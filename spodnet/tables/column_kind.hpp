#pragma once

#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// How a column relates to the Gaussian variable whose correlations are wanted: it is that
/// variable, ordered categories of it (the values' order counts, not their size), or an increasing
/// function of it (its ranks count).
enum class ColumnKind { gaussian, ordinal, ranks };

/// What a user says of all columns; `automatic` looks at each.
enum class TableKind { gaussian, automatic, ordinal, ranks };

std::string to_string(ColumnKind kind);
std::string to_string(TableKind kind);
TableKind table_kind_from(const std::string& text);  ///< auto, gaussian, ordinal, ranks; else Error

/// The kind of each column of X (n x p, NaN where missing). Automatic: ordinal with at most 7
/// different values, each seen 5 times on average and 20 or more rows; ranks where tails are heavy
/// beyond doubt (has_heavy_tails), for the largest values would decide everything; else Gaussian.
/// Asked for: ordinal with at most 20 different values. Ranks: all of them.
std::vector<ColumnKind> column_kinds(const MatrixRef& X, TableKind kind);

}  // namespace spodnet
