#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// The positive semi-definite matrix nearest to the symmetric Z in the Frobenius norm: negative
/// eigenvalues become 0. Exactly symmetric; in general it loses the zeros of Z and is singular up
/// to rounding (an eigenvalue may come out as -1e-16 times the largest). Not square, not finite or
/// not symmetric up to rounding: Error. Cost 9 p^3.
Matrix project_psd(const MatrixRef& Z);

/// Theta with its off-diagonal entries set to 0 where Z_ij = 0; the diagonal stays. In general it
/// loses the positive definiteness of Theta.
Matrix threshold_by_support(const MatrixRef& Theta, const MatrixRef& Z);

}  // namespace spodnet
