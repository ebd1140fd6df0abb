#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// +1 or -1 for each column of X (NaN where missing): what makes its first value less than the next
/// other one. X times these signs is the same whichever columns were recoded x -> -x, so that
/// numbers computed from it are the same to the last bit.
Vector coding_signs(const MatrixRef& X);

/// The columns of X times their signs.
Matrix recoded(const MatrixRef& X, const Vector& signs);

}  // namespace spodnet
