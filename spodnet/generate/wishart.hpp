#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// Chi-square with `degrees` > 0 degrees of freedom (Marsaglia and Tsang's gamma).
double sample_chi_square(double degrees, RandomStream& random);

/// The empirical covariance (about the mean, divisor n) of n samples of N(0, Theta^{-1}), without
/// the samples: n S is Wishart with n - 1 degrees of freedom, C^{-T} B B^T C^{-1} with
/// Theta = C C^T and B lower triangular, B_ii^2 chi-square with n - 1 - i degrees of freedom, the
/// rest standard normal (Bartlett). For n <= p + 1 the samples are drawn. n >= 2; Theta not SPD:
/// Error. Cost p^3 + min(n, p) p^2, whatever n.
Matrix sample_covariance(const MatrixRef& Theta, std::size_t n, RandomStream& random);

}  // namespace spodnet
