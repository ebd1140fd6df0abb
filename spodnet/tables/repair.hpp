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
/// a floor become the floor and the diagonal is scaled back to 1; else R is left as it is, singular
/// or not. The floor is 1e-4 or, of n > p samples, half of what the smallest eigenvalue of
/// unrelated variables is, (1 - sqrt(p / n))^2: much smaller ones would be taken for
/// near-dependences. Cost: p^3 / 3, or about 10 p^3 where it is repaired.
///
/// Where `rows` rows of levels have the information of n < rows rows of the variables behind them,
/// R has more noise than samples have, the same in all directions: it makes small eigenvalues
/// smaller yet. The floor is then at most half of that noise, sqrt(p (1 / n - 1 / rows)), and holds
/// for every R of 10 variables or more that has an eigenvalue below it.
Repair repair_correlation(Matrix& R, double n = 0, double rows = 0);

}  // namespace spodnet
