#pragma once

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A sparse matrix less one of low rank, with its certificate.
struct GlassoLatentResult {
  Matrix A;                    ///< precision given what is hidden: SPD, symmetric, exact zeros
  Matrix L;                    ///< what the hidden variables bring: positive semidefinite
  Matrix Theta;                ///< A - L, the precision of what was measured: SPD
  Matrix W;                    ///< inverse of Theta
  Status status = Status::ok;  ///< not_converged: the certificate holds, above the tolerance
  int factors = 0;             ///< rank of L: the number of hidden variables
  double objective = 0;        ///< f(A, L)
  double duality_gap = 0;      ///< f(A, L) - (a lower bound of f), from a feasible dual point
  double log_det = 0;          ///< log det Theta
  double residual = 0;         ///< ||Theta W - I||_F
  int iterations = 0;
};

struct GlassoLatentOptions {
  double lambda = 0.1;      ///< penalty of |A_ij|, i != j, > 0
  double gamma = 1;         ///< penalty of tr L, > 0; from lambda (p - 1) on L is 0
  double tolerance = 1e-6;  ///< largest duality gap per variable
  int max_iterations = 5000;
  const GlassoLatentResult* start = nullptr;  ///< the solution of a similar problem
};

/// The graphical lasso with hidden variables (Chandrasekaran, Parrilo and Willsky 2012): A and L
/// that minimise
///   f(A, L) = -log det(A - L) + <S, A - L> + lambda sum_{i != j} |A_ij| + gamma tr L,  L >= 0,
/// for a covariance S (p x p, positive diagonal). Variables whose graph is sparse given a few
/// hidden ones have such a precision A - L. Its dual,
///   maximise log det W + p,  W_ii = S_ii, |W_ij - S_ij| <= lambda, S - W <= gamma I,
/// bounds f from below at every feasible W: the gap is never negative beyond rounding.
/// By the alternating direction method of multipliers with two blocks, which converges for any
/// S: A - L, A and L apart, then projected to agree (Ma, Xue and Zou 2013). Wrong input: Error; too
/// few iterations: a status, with the best pair seen. Cost: 20 p^3 an iteration, 50 to some 100 of
/// them.
[[nodiscard]] GlassoLatentResult glasso_latent(const MatrixRef& S,
                                               const GlassoLatentOptions& options = {});

}  // namespace spodnet
