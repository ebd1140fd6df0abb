#pragma once

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/problem/constraints.hpp"

namespace spodnet {

/// What an estimator is given: always S and n, and the samples where there are any. (A Sample is
/// the view of it that engines take.)
struct Problem {
  Matrix S;                    ///< p x p empirical covariance
  double n = 0;                ///< number of samples behind S
  const Matrix* X = nullptr;   ///< n x p samples, or null when only S is known
  ThreadPool* pool = nullptr;  ///< for methods that are parallel inside; null: stay in this thread
  const Constraints* constraints = nullptr;  ///< prior knowledge of Theta; null: none
};

}  // namespace spodnet
