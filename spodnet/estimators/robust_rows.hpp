#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Samples X (n x p) without their tails, for methods that take rows to be Gaussian: every row
/// about the medians of the columns and at the same distance from them in Tyler's scatter
/// (tyler.hpp),
///   y_k = x_k / sqrt(x_k' V^{-1} x_k / p),
/// columns with mean 0 and the standard deviation robust_scale(X). Heavy tails and far rows, common
/// to all variables of a row, are gone; of Gaussian rows about 2 in p + 2 is lost. Fewer than two
/// rows or a constant column: Error. Cost: that of tyler.
Matrix robust_rows(const MatrixRef& X);

}  // namespace spodnet
