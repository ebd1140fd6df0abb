#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Largest eigenvalue of the symmetric matrix A, by Lanczos with full reorthogonalisation from a
/// fixed start: for one number of a large matrix, where `spectrum` would take p^3. Stops when a
/// step changes it by less than 1e-12 of its size, after 200 steps at most; a lower bound up to
/// rounding. Cost: 2 p^2 a step, typically 20 to 60 steps.
double largest_eigenvalue(const MatrixRef& A);

}  // namespace spodnet
