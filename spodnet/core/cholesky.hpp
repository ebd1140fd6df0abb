#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// log det A of a symmetric matrix by Cholesky; -infinity when A is not positive definite to
/// working precision (or not finite). Cost p^3 / 3.
double spd_log_det(const MatrixRef& A);

/// inverse <- A^{-1}, exactly symmetric; returns log det A. When A is not positive definite to
/// working precision returns -infinity and leaves `inverse` unspecified. Cost p^3.
double spd_inverse(const MatrixRef& A, Matrix& inverse);

/// ||A B - I||_F: how far B is from the inverse of A. Cost: (non-zeros of A) * p.
double inverse_residual(const MatrixRef& A, const MatrixRef& B);

}  // namespace spodnet
