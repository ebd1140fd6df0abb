#include "spodnet/baselines/glasso_certificate.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRelativeRounding = 1e-13;  // of a gap, to the sum of its absolute terms

}  // namespace

LinearObjective linear_objective(const Matrix& S, const Matrix& lambda, const Matrix& Theta) {
  LinearObjective sum;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < Theta.cols(); ++j) {
      if (Theta(i, j) == 0) continue;  // lambda may be infinite there
      const double fit = S(i, j) * Theta(i, j);
      const double penalty = i == j ? 0 : lambda(i, j) * std::abs(Theta(i, j));
      sum.value += fit + penalty;
      sum.magnitude += std::abs(fit) + penalty;
    }
  return sum;
}

double kkt_residual(const Matrix& S, const Matrix& lambda, const Matrix& Theta, const Matrix& W) {
  const Vector deviation = S.diagonal().cwiseSqrt();
  double worst = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const double gradient = S(i, j) - W(i, j), theta = Theta(i, j);
      double violation = std::abs(gradient);
      if (i != j && theta == 0) violation = std::max(0.0, violation - lambda(i, j));
      if (i != j && theta != 0) violation = std::abs(gradient + std::copysign(lambda(i, j), theta));
      worst = std::max(worst, violation / (deviation[i] * deviation[j]));
    }
  return worst;
}

bool Certifier::certify(Matrix Theta, const Matrix& dual_point, GlassoResult& result) {
  const double log_det = spd_inverse(Theta, result.W, workspace_);
  if (log_det == -kInfinity) return false;
  const LinearObjective linear = linear_objective(component_.S, component_.lambda, Theta);
  const double dual = spd_log_det(dual_point, workspace_) + double(Theta.rows());
  result.log_det = log_det;
  result.objective = linear.value - log_det;
  result.duality_gap = result.objective - dual;
  result.kkt_residual = kkt_residual(component_.S, component_.lambda, Theta, result.W);
  result.Theta = std::move(Theta);
  gap_rounding_ = kRelativeRounding * (linear.magnitude + std::abs(log_det));
  return true;
}

void Certifier::certify_diagonal(const Matrix& dual_point, GlassoResult& result) {
  certify(component_.S.diagonal().cwiseInverse().asDiagonal(), dual_point, result);
}

bool Certifier::converged(const GlassoResult& result) const {
  return result.duality_gap <= std::max(options_.tolerance, gap_rounding_) &&
         result.kkt_residual <= options_.kkt_tolerance;
}

double Certifier::miss(const GlassoResult& result) const {
  const double kkt = result.kkt_residual / options_.kkt_tolerance;
  return std::max(result.duality_gap / options_.tolerance, kkt * kkt);
}

}  // namespace spodnet
