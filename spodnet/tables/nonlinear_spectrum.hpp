#pragma once

#include <cstddef>
#include <vector>

namespace spodnet {

/// What analytical nonlinear shrinkage makes of the eigenvalues of a covariance (Ledoit and Wolf
/// 2020). With c = p / n and f, H the density of the sample eigenvalues and its Hilbert transform,
/// both by Epanechnikov kernels of bandwidth n^{-1/3} lambda_j around each of them,
///   d = lambda / (A^2 + B^2),   A = pi c lambda f,   B = 1 - c - pi c lambda H,
/// and for c > 1 the p - n eigenvalues that are 0 share one value.
struct NonlinearSpectrum {
  std::vector<double> d;     ///< shrunk, in the order of the eigenvalues
  std::vector<double> A, B;  ///< as above; for eigenvalues that are 0: A = 0, B = 1
  std::size_t nulls = 0;     ///< eigenvalues that count as 0: the first ones
};

/// `lambda` ascends, of a covariance with n degrees of freedom (samples less one where their means
/// were removed), n >= 1. Eigenvalues count as 0 below 1e-10 of their mean, and all but the n
/// largest. For n < p they share one value d > 0; otherwise, where variables depend on each other
/// exactly, d = 0: the data do not show how large they are. Cost: 20 min(n, p)^2.
NonlinearSpectrum nonlinear_spectrum(const std::vector<double>& lambda, double n);

}  // namespace spodnet
