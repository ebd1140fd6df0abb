#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// n samples of N(0, Theta^{-1}), one per row: n x p. With Theta = C C^T each row is
/// x = C^{-T} z, z standard normal, so no inverse is formed. Rows are drawn one after the other:
/// the first rows are the same for any n. Theta not SPD: Error. Cost p^3 / 3 + n p^2.
Matrix sample_gaussian(const MatrixRef& Theta, std::size_t n, RandomStream& random);

}  // namespace spodnet
