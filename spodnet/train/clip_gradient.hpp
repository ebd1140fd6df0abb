#pragma once

#include <cmath>
#include <span>

namespace spodnet {

/// Scales the gradient so that its Euclidean norm is at most `limit` (0: leaves it alone) and
/// returns the norm before.
inline double clip_gradient(std::span<double> gradient, double limit) {
  double square = 0;
  for (const double g : gradient) square += g * g;
  const double norm = std::sqrt(square);
  if (limit > 0 && norm > limit)
    for (double& g : gradient) g *= limit / norm;
  return norm;
}

}  // namespace spodnet
