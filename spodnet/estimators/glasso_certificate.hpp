#pragma once

#include "spodnet/estimators/glasso_solve.hpp"

namespace spodnet {

/// sum_ij S_ij Theta_ij + lambda_ij |Theta_ij| (i != j), the objective but for its log det, and the
/// sum of the terms' absolute values, which scales its rounding error.
struct LinearObjective {
  double value = 0;
  double magnitude = 0;
};
LinearObjective linear_objective(const GlassoComponent& component, const Matrix& Theta);

/// Largest violation of the KKT conditions by Theta and W = Theta^{-1}, over sqrt(S_ii S_jj):
/// |S - W|_ii, |S - W + lambda sign(Theta)|_ij where Theta_ij != 0, and elsewhere by how much S - W
/// leaves [-lambda_ij, lambda_ij]; lambda is that of the side in question, perhaps infinite.
double kkt_residual(const GlassoComponent& component, const Matrix& Theta, const Matrix& W);

/// Certifies candidate solutions of one component.
class Certifier {
 public:
  Certifier(const GlassoComponent& component, const GlassoOptions& options)
      : component_(component), options_(options) {}

  /// Theta, W, objective, log det, gap and KKT residual of a candidate into `result`, given the
  /// log det of a feasible dual point (the gap is infinite when that is -infinity). False when
  /// Theta is not positive definite.
  bool certify(Matrix Theta, double dual_log_det, GlassoResult& result);
  /// The same for Theta = diag(S)^{-1}, which cannot fail.
  void certify_diagonal(double dual_log_det, GlassoResult& result);

  bool converged(const GlassoResult& result) const;
  /// By what factor of squared error the last candidate missed the tolerances.
  double miss(const GlassoResult& result) const;

 private:
  const GlassoComponent& component_;
  const GlassoOptions& options_;
  double gap_rounding_ = 0;
};

}  // namespace spodnet
