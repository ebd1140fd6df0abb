#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Of a symmetric matrix; all NaN and rank 0 when an entry is not finite.
struct Spectrum {
  double eig_min = 0, eig_max = 0;
  double condition = 0;  ///< max |eigenvalue| / min |eigenvalue|; infinite when singular
  bool is_spd = false;   ///< see below
  int rank = 0;          ///< eigenvalues beyond p * 2.2e-16 * max |eigenvalue|
};

/// Eigenvalues of the lower triangle; cost 4/3 p^3.
Spectrum spectrum(const MatrixRef& Theta);

/// Square, finite, symmetric to 1e-8 of its largest entry, and its Cholesky decomposition succeeds.
bool is_spd(const MatrixRef& Theta);

}  // namespace spodnet
