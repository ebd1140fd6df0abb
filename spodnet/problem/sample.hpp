#pragma once

#include <cstddef>

namespace spodnet {

class Constraints;

/// One problem: an empirical covariance of n samples and, for training, its true precision.
/// A view: its maker owns the p x p matrices and the constraints.
struct Sample {
  const double* S = nullptr;
  const double* Theta_true = nullptr;
  std::size_t p = 0;
  double n = 0;
  const Constraints* constraints = nullptr;  ///< prior knowledge of Theta; null: none
};

}  // namespace spodnet
