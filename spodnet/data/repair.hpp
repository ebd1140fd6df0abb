#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// What it took to make a matrix of correlations positive definite.
struct Repair {
  bool needed = false;
  double eig_min = 0;  ///< smallest eigenvalue before, where one was needed
  double change = 0;   ///< largest |difference| of an entry
};

/// Correlations measured pair by pair (missing values, ranks) need not fit together: R, symmetric
/// with unit diagonal, may have negative eigenvalues. If its smallest is below -1e-8 p, those below
/// 1e-4 become 1e-4 and the diagonal is scaled back to 1; else R is left as it is, singular or not.
/// Cost: p^3 / 3, or about 10 p^3 where it is repaired.
Repair repair_correlation(Matrix& R);

}  // namespace spodnet
