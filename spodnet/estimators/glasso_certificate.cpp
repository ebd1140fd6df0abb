#include "spodnet/estimators/glasso_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"

namespace spodnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRelativeRounding = 1e-13;  // of a gap, to the sum of its absolute terms

}  // namespace

LinearObjective linear_objective(const GlassoComponent& component, const Matrix& Theta) {
  const Matrix& S = component.S;
  const SidedPenalty lambda = component.penalty();
  LinearObjective sum;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i) {
    const auto fit = S.row(i).array() * Theta.row(i).array();
    double penalty = 0;
    for (Eigen::Index j = 0; j < i; ++j)  // lambda may be infinite where Theta is 0
      penalty += Theta(i, j) == 0 ? 0 : lambda.on_edge(i, j, Theta(i, j)) * Theta(i, j);
    sum.value += fit.sum() + 2 * penalty;
    sum.magnitude += fit.abs().sum() + 2 * penalty;
  }
  return sum;
}

double kkt_residual(const GlassoComponent& component, const Matrix& Theta, const Matrix& W) {
  const Matrix& S = component.S;
  const SidedPenalty lambda = component.penalty();
  const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
  double worst = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    double worst_in_row = std::abs(S(i, i) - W(i, i)) * scale[i];
    for (Eigen::Index j = 0; j < i; ++j) {
      const double gradient = S(i, j) - W(i, j), theta = Theta(i, j);
      const double on_edge = std::abs(gradient + lambda.on_edge(i, j, theta));
      const double elsewhere =
          std::max(gradient - lambda.negative(i, j), -gradient - lambda.positive(i, j));
      worst_in_row = std::max(worst_in_row, (theta == 0 ? elsewhere : on_edge) * scale[j]);
    }
    worst = std::max(worst, worst_in_row * scale[i]);
  }
  return worst;
}

bool Certifier::certify(Matrix Theta, double dual_log_det, GlassoResult& result) {
  const double log_det = spd_inverse(Theta, result.W);
  if (log_det == -kInfinity) return false;
  const LinearObjective linear = linear_objective(component_, Theta);
  const double dual = dual_log_det + double(Theta.rows());
  result.log_det = log_det;
  result.objective = linear.value - log_det;
  result.duality_gap = result.objective - dual;
  result.kkt_residual = kkt_residual(component_, Theta, result.W);
  result.Theta = std::move(Theta);
  gap_rounding_ = kRelativeRounding * (linear.magnitude + std::abs(log_det));
  return true;
}

void Certifier::certify_diagonal(double dual_log_det, GlassoResult& result) {
  certify(component_.S.diagonal().cwiseInverse().asDiagonal(), dual_log_det, result);
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
