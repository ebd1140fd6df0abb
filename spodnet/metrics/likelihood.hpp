#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Average over samples of log N(x; mean, Theta^{-1}), where S = (1/n) sum (x - mean)(x - mean)^T:
///   -1/2 (p log 2 pi - log det Theta + tr(S Theta)).
/// scikit-learn's log_likelihood(S, Theta) is the same number. -infinity when Theta is not SPD.
/// Cost 2/3 p^3.
double log_likelihood(const MatrixRef& S, const MatrixRef& Theta);

/// The same of an SPD Theta whose log det is known. Cost p^2.
double log_likelihood(const MatrixRef& S, const MatrixRef& Theta, double log_det);

/// The same of held-out samples X (n x p), about the mean of the data Theta was fitted to.
double held_out_log_likelihood(const MatrixRef& X, const Vector& mean, const MatrixRef& Theta);

}  // namespace spodnet
