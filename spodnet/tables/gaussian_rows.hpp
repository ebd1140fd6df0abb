#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Whether the rows of X (n x p) could be Gaussian: no column takes a value twice in more than a
/// tenth of its rows (levels, counts, rounded numbers), and skewness and kurtosis, on average over
/// the columns, are within four standard errors of a Gaussian's. The errors are those of one
/// column, so that columns may depend on each other in any way. Few rows hardly show it: below 4
/// only ties do. False where a number is missing. Cost: n p log n.
bool could_be_gaussian(const MatrixRef& X);

}  // namespace spodnet
