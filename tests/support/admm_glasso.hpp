#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet::test {

/// The graphical lasso by the alternating direction method of multipliers, slow and plain: an
/// eigendecomposition, a soft threshold and a multiplier update until the two copies of Theta
/// agree. An algorithm unrelated to the library's. `lambda` is p x p (diagonal not read).
Matrix admm_glasso(const Matrix& S, const Matrix& lambda, int max_iterations = 20000);

/// -log det Theta + <S, Theta> + sum_{i != j} lambda_ij |Theta_ij|, by eigenvalues.
double glasso_objective(const Matrix& S, const Matrix& lambda, const Matrix& Theta);

}  // namespace spodnet::test
