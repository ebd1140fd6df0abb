#include "spodnet/baselines/glasso_solve.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/baselines/glasso_block.hpp"
#include "spodnet/baselines/glasso_certificate.hpp"
#include "spodnet/core/cholesky.hpp"

namespace spodnet {
namespace {

constexpr double kTrustedResidual = 1e-6;  // ||Theta W - I|| of a warm start

/// Reads the convergence off the squared moves of the sweeps, a geometric series: how accurately
/// the next sweep should solve its columns, and when a certificate (two factorisations and an
/// inverse) is worth trying. Tolerances are totals over the columns, in the unit of the moves.
class Pace {
 public:
  explicit Pace(const GlassoOptions& options)
      : target_(std::min(options.tolerance, 100 * options.kkt_tolerance * options.kkt_tolerance)) {}

  double tolerance() const { return tolerance_; }
  bool at_rest() const { return moved_ <= 2 * kSmallestMove; }

  /// After a sweep that moved so far: is the gap likely to be within the target?
  bool finished(double moved) {
    moved += tolerance_;
    const double rate2 = moved_ > 0 ? std::min(moved / moved_, 0.9) : 0.25;
    const double series = rate2 / ((1 - std::sqrt(rate2)) * (1 - std::sqrt(rate2)));
    // Columns solved inexactly leave W outside its box; clipping it costs the root of the error.
    const double gap = kGapPerMove * moved * series + std::sqrt(tolerance_);
    moved_ = moved;
    tolerance_ = kColumnShare * std::max(moved, kSmallestMove);
    if (ratio_ * kGapPerMove * moved * rate2 * series <= target_) {  // the next may be the last
      const double goal = 0.3 * target_ / ratio_;
      tolerance_ = std::max(std::min(tolerance_, goal * goal), 1e-6 * kSmallestMove);
    }
    return ratio_ * gap <= target_ || at_rest();
  }
  /// The certificate missed its goal by this factor of squared error.
  void missed_by(double factor) { ratio_ *= std::clamp(factor, 2.0, 100.0); }

 private:
  static constexpr double kSmallestMove = 1e-22;  // nothing but last digits moves
  static constexpr double kColumnShare = 1e-4;    // of a move that its columns may be wrong by
  static constexpr double kGapPerMove = 5;        // measured, corrected by ratio_
  double target_, ratio_ = 1, moved_ = 0, tolerance_ = 1e-2;
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
  Pace pace(options);
  const double p = double(component.S.rows());
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    if (!pace.finished(block.sweep(pace.tolerance() / p))) continue;
    const bool spd = certifier.certify(block.precision(), block.dual_point(), result);
    if (spd && certifier.converged(result)) return result;
    if (pace.at_rest()) break;
    pace.missed_by(spd ? certifier.miss(result) : 100);
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
