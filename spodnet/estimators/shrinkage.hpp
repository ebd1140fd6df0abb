#pragma once

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A covariance shrunk towards a multiple of the identity, and its inverse.
struct ShrinkageResult {
  Matrix W;              ///< covariance, (1 - shrinkage) S + shrinkage * tr(S)/p * I
  Matrix Theta;          ///< its inverse; dense
  double shrinkage = 0;  ///< in [0, 1]
  /// not_spd: the formula's shrinkage leaves W singular (two samples, for one); W and Theta are
  /// then those of the smallest shrinkage 1e-10, 1e-9, ... that does not.
  Status status = Status::ok;
  double residual = 0;  ///< ||Theta W - I||_F
};

/// Ledoit and Wolf's shrinkage of the samples X (n x p, one per row; their means are removed), the
/// one that minimises the expected ||W - Sigma||_F without knowing the distribution:
///   shrinkage = min(b, d) / d,   d = ||S - mu I||_F^2,  mu = tr(S)/p,
///   b = 1/n^2 sum_k ||x_k x_k' - S||_F^2.
/// One sample, or all variables constant: Error. Cost n p^2 + p^3.
[[nodiscard]] ShrinkageResult ledoit_wolf(const MatrixRef& X);

/// Oracle approximating shrinkage of a covariance S (p x p) of n > 1 samples, for Gaussian data, as
/// scikit-learn computes it. With mu = tr(S)/p and a = ||S||_F^2/p^2:
///   shrinkage = min(1, (a + mu^2) / ((n + 1)(a - mu^2/p))), 1 when the denominator is 0.
/// Differs: the published formula has (1 - 2/p) a and (n + 1 - 2/p). Cost p^3.
[[nodiscard]] ShrinkageResult oas(const MatrixRef& S, double n);

/// That shrinkage alone, of an exactly symmetric S of positive trace and n > 1. Cost p^2.
double oas_intensity(const MatrixRef& S, double n);

}  // namespace spodnet
