#pragma once

#include <cstddef>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A covariance with unit variances up to sampling, of factors and errors of very different sizes:
///   Sigma = Lambda Lambda' + D^{1/2} R_g D^{1/2},   diag(Sigma) = 1,
/// R_g the correlations of a sparse graph, D_j log-uniform in [1 / condition, 1], Lambda of h
/// factors, h uniform in 1 ... p / 2, the k-th of size k^{-a}, a uniform in [0, 1.5]. Its inverse
/// is returned: dense, condition numbers up to about p condition.
Matrix collinear_precision(const Matrix& Theta_g, double condition, RandomStream& random);

/// The inverse of correlations A A' without any zeros or structure: A is p x h, h / p log-uniform
/// in 1.3 ... 10, column k normal of size k^{-a}, a uniform in [0, 1], rows of length 1. Many real
/// tables of few columns are so: all variables have a little to do with one another.
Matrix dense_precision(std::size_t p, RandomStream& random);

}  // namespace spodnet
