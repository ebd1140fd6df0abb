#pragma once

#include <optional>

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

struct TylerOptions {
  std::optional<double> shrinkage = {};  ///< rho in (0, 1]; empty: Chen, Wiesel and Hero's (2011)
  int iterations = 200;
  double tol = 1e-10;  ///< largest change of an entry of V
};

/// A robust covariance and its inverse.
struct TylerResult {
  Matrix W, Theta;
  double shrinkage = 0;  ///< rho
  int iterations = 0;
  Status status = Status::ok;  ///< not_converged after all iterations
  double residual = 0;         ///< ||Theta W - I||_F
};

/// Tyler's scatter matrix with shrinkage of the samples X (n x p), which depends on the directions
/// of the rows alone, so that heavy tails and far rows do not matter: the V of trace p with
///   V = (1 - rho) p/n sum_k x_k x_k' / (x_k' V^{-1} x_k) + rho I    (up to its trace),
/// the rows about the medians of their columns, in units of the columns' mean absolute deviations.
/// W is V times the median of x_k' V^{-1} x_k over that of a chi-square with p degrees of freedom,
/// back in the units of the data: the covariance, where the rows are Gaussian. rho by Chen, Wiesel
/// and Hero's formula, within [0.01, 1]. Rows at the medians do not count. Fewer than two rows or a
/// constant column: Error. Cost: iterations (n p^2 + p^3).
[[nodiscard]] TylerResult tyler(const MatrixRef& X, const TylerOptions& options = {});

}  // namespace spodnet
