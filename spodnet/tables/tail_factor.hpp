#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// How much heavier than Gaussian the tails of rows are (n x p, any units), at least 1 and at most
/// 50: n rows show the covariance S about as well as n over it Gaussian ones. The larger of two
/// numbers, both of standardised columns: the variance of all entries of S over that of Gaussian
/// rows,
///   (mean |x|^4 - ||S||_F^2) / (tr(S)^2 + ||S||_F^2),
/// which sees rows that are far away as a whole, and the same of its diagonal alone, (mean_j
/// k_j^(1/4))^4 with k_j = (mean x_j^4 - 1) / 2 of column j, at least 0.5, which sees single
/// numbers that are. Constant columns do not count; 1 where a number is not finite. Cost: n p^2.
double tail_factor(const MatrixRef& X);

}  // namespace spodnet
