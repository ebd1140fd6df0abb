#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// ||Theta - Theta_true||_F^2 / ||Theta_true||_F^2; the paper reports its mean over a test set.
/// NaN when Theta_true is 0.
double nmse(const MatrixRef& Theta, const MatrixRef& Theta_true);

}  // namespace spodnet
