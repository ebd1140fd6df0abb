#pragma once

#include <limits>
#include <span>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/problem/constraints.hpp"

namespace spodnet {

struct GlassoOptions {
  double lambda = 0.1;  ///< penalty of every off-diagonal entry, >= 0 ...
  Matrix penalty;       ///< ... or, when not empty, p x p symmetric; infinity forces a zero
  const Constraints* constraints = nullptr;  ///< forbidden entries and signs; null: none
  bool penalize_diagonal = false;            ///< penalise Theta_ii by lambda (or penalty_ii) too
  double tolerance = 1e-8;                   ///< largest duality gap, in units of the objective
  double kkt_tolerance = 1e-7;          ///< largest KKT residual; infinity: the gap alone decides
  int max_iterations = 1000;            ///< sweeps over the columns
  const Matrix* Theta_start = nullptr;  ///< warm start: the solution of a similar problem ...
  const Matrix* W_start = nullptr;      ///< ... and its inverse, where known
  ThreadPool* pool = nullptr;           ///< solves the components in parallel; same result
};

/// A solution with its certificate.
struct GlassoResult {
  Matrix Theta;                ///< precision: exactly symmetric, exact zeros, positive definite
  Matrix W;                    ///< its inverse
  Status status = Status::ok;  ///< not_converged: the certificate holds, but above a tolerance
  double objective = 0;        ///< f(Theta)
  double duality_gap = 0;      ///< f(Theta) - (a lower bound of f), from a feasible dual point
  double kkt_residual = 0;     ///< violation of the conditions below, over sqrt(S_ii S_jj)
  double log_det = 0;          ///< log det Theta
  int iterations = 0;          ///< sweeps of the component that took most
  int components = 0;          ///< connected components of |S_ij| > lambda_ij, allowed pairs only
  double residual = 0;         ///< ||Theta W - I||_F
};

/// Graphical lasso: the SPD matrix that minimises
///   f(Theta) = -log det Theta + <S, Theta> + sum_{i != j} lambda_ij |Theta_ij|        Eq. (5)
/// for a p x p covariance S with positive diagonal; S may be singular when lambda > 0. KKT:
///   W_ii = S_ii;  (S - W)_ij = -lambda_ij sign(Theta_ij) or, where Theta_ij = 0,
///   |S - W|_ij <= lambda_ij.
/// With constraints Theta_ij is kept at 0 or to one sign, as if its penalty were infinite on the
/// other side, and the conditions lose the bound there: (S - W)_ij >= -lambda_ij only where
/// Theta_ij > 0 is allowed, <= lambda_ij only where Theta_ij < 0 is.
/// The dual, maximise log det W + p over W_ii = S_ii, |W_ij - S_ij| <= lambda_ij (without the bound
/// on a forbidden side), bounds f from below at every feasible W: the duality gap is never
/// negative beyond rounding.
/// Variables that |S_ij| <= lambda_ij or the constraints separate are solved apart (the solution is
/// block diagonal).
/// Wrong input (not square, not symmetric up to rounding, not finite, a variance or penalty that is
/// not positive): Error. Misfortune (no minimiser since S is singular or not a covariance and
/// lambda too small, too few iterations): a status, with the last SPD iterate and its certificate.
/// Cost: p^2 for the components, then for each of size q about 2 q * (non-zeros) flops a sweep (4
/// q^3 and more when a third of the pairs are edges), 5 to 15 sweeps, and 4 q^3 for the
/// certificate.
[[nodiscard]] GlassoResult glasso(const MatrixRef& S, const GlassoOptions& options = {});

/// The same for several values of lambda (penalty must be empty), each warm-started from the one
/// before; fastest when they decrease.
[[nodiscard]] std::vector<GlassoResult> glasso_path(const MatrixRef& S,
                                                    std::span<const double> lambdas,
                                                    GlassoOptions options = {});

/// Smallest lambda whose solution is diagonal: the largest |S_ij|, i != j, of the entries whose
/// Theta_ij may have the sign of -S_ij (0 when there is none).
double glasso_lambda_max(const MatrixRef& S, const Constraints* constraints = nullptr);

/// `count` values from `high` down to `low`, evenly spaced in their logarithm.
std::vector<double> log_spaced(double high, double low, int count);

}  // namespace spodnet
