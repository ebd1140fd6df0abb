#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/generate/signs.hpp"

namespace spodnet {

/// The precision matrix of variables that are a sparse graph given a few hidden causes, as tables
/// of measurements often are:
///   Theta^{-1} = Theta_g^{-1} + t Lambda Lambda',   ||Lambda|| = 1
/// with h loadings per variable, h uniform in 1 ... max(1, p / 5), the k-th of size 1 / k; all
/// positive where `signs` is positive, else of either sign. t gives the sum the condition number,
/// or one below. No entry of Theta is exactly zero. Cost: O(p^3).
Matrix latent_precision(const Matrix& Theta_g, double condition, Signs signs, RandomStream& random);

}  // namespace spodnet
