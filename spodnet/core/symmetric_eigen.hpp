#pragma once

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A = V^T diag(y) V of a symmetric matrix: row k of V is the eigenvector of y_k.
/// Kept between calls, so that a loop over matrices of one size allocates nothing.
struct SymmetricEigen {
  Matrix V;  ///< p x p, orthogonal
  Vector y;  ///< p, in no particular order
};

/// Eigendecomposition of the symmetric A of which the lower triangle is read.
/// not_finite when A is, not_converged is never seen on finite input. Cost: about 9 p^3.
[[nodiscard]] Status symmetric_eigen(const MatrixRef& A, SymmetricEigen& out);

}  // namespace spodnet
