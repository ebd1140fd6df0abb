#pragma once

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

// Symmetric positive definite matrices by blocked Cholesky on the kernels of this machine.

/// The diagonal of the Cholesky factor of the symmetric A (p x p; one triangle is read); empty when
/// A is not positive definite to working precision or not finite. Cost p^3 / 3 flops.
Vector spd_diagonal(const MatrixRef& A);

/// log det A of the symmetric A (p x p; one triangle is read); -infinity when A is not
/// positive definite to working precision or not finite. Cost p^3 / 3 flops.
double spd_log_det(const MatrixRef& A);

/// inverse <- A^{-1}, exactly symmetric; returns log det A. When A is not positive definite to
/// working precision or not finite returns -infinity and leaves `inverse` alone. Cost p^3 flops,
/// shared by the threads of `pool`.
double spd_inverse(const MatrixRef& A, Matrix& inverse, ThreadPool* pool = nullptr);

/// x <- A^{-1} c for one right-hand side. [A c] is p x (p + 1), row-major with rows padded(p + 1)
/// apart; of A the upper triangle counts (below it anything finite), all is overwritten. x holds
/// padded(p + 1) numbers.
/// False when A is not positive definite to working precision. Cost p^3 / 3 flops.
bool spd_solve(std::size_t p, double* A_and_c, double* x, AlignedVector& scratch);

/// ||A B - I||_F: how far B is from the inverse of A. Cost: 2 p * (non-zeros of A) flops; where
/// their rounding might hide a larger residual (ill-conditioned A), ten times that for exact sums.
/// Columns are shared by the threads of `pool`.
double inverse_residual(const MatrixRef& A, const MatrixRef& B, ThreadPool* pool = nullptr);

}  // namespace spodnet
