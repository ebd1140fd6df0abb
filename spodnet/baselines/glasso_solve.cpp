#include "spodnet/baselines/glasso_solve.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/baselines/glasso_block.hpp"
#include "spodnet/baselines/glasso_certificate.hpp"
#include "spodnet/core/cholesky.hpp"

namespace spodnet {
namespace {

constexpr double kFirstColumnTolerance = 1e-2;  // of the first sweep, shared by the columns
constexpr double kColumnShare = 1e-6;           // later, of the last move: keeps the gap quadratic
constexpr double kSmallestMove = 1e-22;         // squared: nothing but last digits moves
constexpr double kTrustedResidual = 1e-6;       // ||Theta W - I|| of a warm start

/// Decides when a certificate (up to three factorisations) is worth trying. The squared move of a
/// sweep shrinks like the gap; a missed attempt teaches the ratio of the two.
class Schedule {
 public:
  explicit Schedule(const GlassoOptions& options)
      : target_(std::min(options.tolerance, 100 * options.kkt_tolerance * options.kkt_tolerance)) {}

  bool due(double moved) {
    const double rate = previous_ > 0 ? std::sqrt(moved / previous_) : 0.5;
    const double left = 1 - std::min(rate, 0.95);  // the moves to come are a geometric series
    previous_ = moved;
    return ratio_ * moved <= target_ * left * left || moved <= kSmallestMove;
  }
  void missed_by(double factor) { ratio_ *= std::clamp(factor, 2.0, 100.0); }

 private:
  double target_, ratio_ = 1, previous_ = 0;
};

void start(const GlassoComponent& component, GlassoBlock& block) {
  if (component.Theta_start.size() == 0) return block.start_cold();
  Matrix W = component.W_start;
  const bool trusted = W.size() > 0 && W.diagonal().minCoeff() > 0 &&
                       inverse_residual(component.Theta_start, W) < kTrustedResidual;
  if (!trusted && !std::isfinite(spd_inverse(component.Theta_start, W))) return block.start_cold();
  block.start_warm(component.Theta_start, W);
}

/// The last iterate of an unfinished solve; its off-diagonal entries shrink until it is SPD.
void certify_unfinished(const GlassoBlock& block, Certifier& certifier, GlassoResult& result) {
  const Matrix Theta = block.precision(), W = block.dual_point();
  const Matrix diagonal = Theta.diagonal().asDiagonal();
  for (double share = 1; share > 1e-4; share /= 2)
    if (certifier.certify(diagonal + share * (Theta - diagonal), W, result)) return;
  certifier.certify_diagonal(W, result);
}

GlassoResult solve_block(const GlassoComponent& component, const GlassoOptions& options) {
  GlassoResult result;
  GlassoBlock block(component.S, component.lambda);
  start(component, block);
  Certifier certifier(component, options);
  Schedule schedule(options);
  const double p = double(component.S.rows());
  double column_tolerance = kFirstColumnTolerance / p;  // a sweep settles nothing finer
  while (result.iterations < options.max_iterations) {
    const double moved = block.sweep(column_tolerance) + p * column_tolerance;
    column_tolerance = kColumnShare * std::max(moved, kSmallestMove) / p;
    ++result.iterations;
    if (!schedule.due(moved)) continue;
    if (certifier.certify(block.precision(), block.dual_point(), result) &&
        certifier.converged(result))
      return result;
    if (moved <= kSmallestMove) break;
    schedule.missed_by(certifier.miss(result));
  }
  certify_unfinished(block, certifier, result);
  result.status = certifier.converged(result) ? Status::ok : Status::not_converged;
  return result;
}

/// One variable alone: Theta = 1 / S.
GlassoResult solve_single(double s) {
  GlassoResult result;
  result.Theta = Matrix::Constant(1, 1, 1 / s);
  result.W = Matrix::Constant(1, 1, s);
  result.log_det = -std::log(s);
  result.objective = 1 - result.log_det;
  return result;
}

}  // namespace

GlassoResult solve_component(const GlassoComponent& component, const GlassoOptions& options) {
  if (component.S.rows() == 1) return solve_single(component.S(0, 0));
  GlassoResult result = solve_block(component, options);
  result.residual = inverse_residual(result.Theta, result.W);
  return result;
}

}  // namespace spodnet
