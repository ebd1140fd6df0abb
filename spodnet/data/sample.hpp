#pragma once

#include <cstddef>

namespace spodnet {

/// One problem: an empirical covariance of n samples and, for training, its true precision.
/// A view: whoever made it owns the p x p matrices.
struct Sample {
  const double* S = nullptr;
  const double* Theta_true = nullptr;
  std::size_t p = 0;
  double n = 0;
};

}  // namespace spodnet
