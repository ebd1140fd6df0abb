#pragma once

#include "spodnet/estimators/shrinkage.hpp"

namespace spodnet {

/// Analytical nonlinear shrinkage (Ledoit and Wolf 2020) of a covariance S (p x p) of n samples:
/// the eigenvectors of S with each eigenvalue shrunk by itself (tables/nonlinear_spectrum.hpp), so
/// that the loss in likelihood is asymptotically the least of all estimates with these
/// eigenvectors. `centred`: the samples' means were removed, and n - 1 directions carry
/// information. n < p is allowed. W's eigenvalues are at least 1e-10 of their mean, not_spd where
/// that had to be enforced. `shrinkage` is 1 - |W - mu I| / |S - mu I|, Frobenius norms, mu = tr(S)
/// / p. n < 2 or every variance 0: Error. Cost: 9 p^3.
[[nodiscard]] ShrinkageResult nonlinear_shrinkage(const MatrixRef& S, double n,
                                                  bool centred = true);

}  // namespace spodnet
