#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Penalised negative log-likelihood of a Student-t distribution with covariance Sigma, the
/// objective of the elliptical graphical (factor) models. With Theta = Sigma^{-1} and
/// q_i = x_i' Theta x_i,
///   f = 1/2 logdet Sigma + (nu + p)/(2n) sum_i log(nu + q_i) + lambda sum_{a != b} phi(Theta_ab),
///   phi(t) = eps log cosh(t / eps), which is |t| to within eps.
/// The sum counts each pair twice: the usual graphical-lasso penalty is 2 lambda.
struct EllipticalCost {
  Matrix X;            ///< n x p, centred
  double nu = 5;       ///< degrees of freedom; 1000 stands for the Gaussian
  double lambda = 10;  ///< weight of the penalty
  double eps = 1e-12;  ///< smoothing of |t|

  /// f; +infinity where Sigma has no Cholesky factor. Cost: p^3 + 2 n p^2.
  double value(const Matrix& Sigma) const;

  /// df/dSigma = 1/2 Theta (Sigma - Psi) Theta - lambda Theta T Theta (symmetric), with
  /// Psi = 1/n sum_i w_i x_i x_i', w_i = (nu + p)/(nu + q_i) and T = tanh(Theta / eps) off the
  /// diagonal. Cost: 5 p^3 + 4 n p^2.
  Matrix gradient(const Matrix& Sigma) const;
};

}  // namespace spodnet
