#include "spodnet/estimators/glasso_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/estimators/glasso_block.hpp"
#include "spodnet/estimators/glasso_box.hpp"
#include "spodnet/estimators/glasso_certificate.hpp"

namespace spodnet {
namespace {

constexpr int kBoxSweeps = 30;      // at most, then the columns are solved exactly
constexpr int kFirstSweeps = 3;     // of the box form, before its pace is judged
constexpr double kCrawling = 0.5;   // of the gap left by a sweep
constexpr double kNear = 1;         // gap from which a crawling box form is worth going on from
constexpr double kWorstMiss = 100;  // a certificate's miss is taken to be at most this factor

/// The goal in units of the gap, which is of the order of the squared KKT residual.
double target_gap(const GlassoOptions& options) {
  return std::min(options.tolerance, 100 * options.kkt_tolerance * options.kkt_tolerance);
}

/// Reads the convergence off the squared moves of the sweeps, a geometric series: how accurately
/// the next sweep should solve its columns, and when a certificate (two inverses) is worth
/// trying. Tolerances are totals over the columns, in the unit of the moves.
class Pace {
 public:
  explicit Pace(double target) : target_(target) {}

  double tolerance() const { return tolerance_; }
  bool at_rest() const { return moved_ <= 2 * kSmallestMove; }

  /// After a sweep that moved so far: is the gap likely to be within the target?
  bool finished(double moved) {
    moved += tolerance_;
    const double rate2 = moved_ > 0 ? std::min(moved / moved_, 0.9) : 0.1;
    const double series = rate2 / ((1 - std::sqrt(rate2)) * (1 - std::sqrt(rate2)));
    const double gap = kGapPerMove * (moved * series + tolerance_);
    moved_ = moved;
    tolerance_ = kColumnShare * std::max(moved, kSmallestMove);
    return ratio_ * gap <= target_ || at_rest();
  }
  /// The certificate missed its goal by this factor of squared error.
  void missed_by(double factor) { ratio_ *= std::clamp(factor, 2.0, kWorstMiss); }

 private:
  static constexpr double kSmallestMove = 1e-22;  // nothing but last digits moves
  static constexpr double kColumnShare = 1e-4;    // of a move that its columns may be wrong by
  static constexpr double kGapPerMove = 0.3;      // measured, corrected by ratio_
  static constexpr double kFirstTolerance = 1e-4;
  double target_, ratio_ = 1, moved_ = 0, tolerance_ = kFirstTolerance;
};

void start(const GlassoComponent& component, GlassoBlock& block) {
  const Matrix& Theta = component.Theta_start;
  if (Theta.size() == 0) return block.start_cold();
  if (component.W_start.size() > 0 && block.start_warm(Theta, component.W_start)) return;
  Matrix W;
  if (!std::isfinite(spd_inverse(Theta, W)) || !block.start_warm(Theta, W)) block.start_cold();
}

/// Certifies W of the box, inverted, with its edges as Theta.
bool certified(const GlassoBox& box, Certifier& certifier, GlassoResult& result, double& miss) {
  const bool spd = certifier.certify(box.precision(), box.log_det_W(), result);
  miss = spd ? certifier.miss(result) : kWorstMiss;
  return spd && certifier.converged(result);
}

/// Sweeps in the box form. False when they crawl or the iterations are spent; `block` goes on from
/// there.
bool solve_in_box(const GlassoComponent& component, const GlassoOptions& options,
                  GlassoBlock& block, Certifier& certifier, GlassoResult& result) {
  GlassoBox box(component.S, component.penalty(), block.dual_point());
  double target = target_gap(options), before = std::numeric_limits<double>::infinity(), miss = 0;
  for (int k = 0; k < kBoxSweeps && result.iterations < options.max_iterations; ++k) {
    if (!box.invert()) break;
    const double gap = box.gap_estimate();
    if (gap <= target) {
      if (certified(box, certifier, result, miss)) return true;
      target = gap / std::clamp(miss, 2.0, kWorstMiss);
    }
    if (k >= kFirstSweeps && gap > kCrawling * before) break;
    before = gap;
    box.sweep();
    ++result.iterations;
  }
  if (!(before < kNear) || !block.start_warm(box.precision(), box.W())) block.start_cold(1);
  return false;
}

/// The last iterate of an unfinished solve; its off-diagonal entries shrink until it is SPD.
void certify_unfinished(const GlassoBlock& block, Certifier& certifier, GlassoResult& result) {
  const double dual_log_det = spd_log_det(block.dual_point());
  const Matrix Theta = block.precision(), diagonal = Theta.diagonal().asDiagonal();
  for (double share = 1; share > 1e-4; share /= 2)
    if (certifier.certify(diagonal + share * (Theta - diagonal), dual_log_det, result)) return;
  certifier.certify_diagonal(dual_log_det, result);
}

GlassoResult solve_block(const GlassoComponent& component, const GlassoOptions& options) {
  GlassoResult result;
  GlassoBlock block(component.S, component.penalty());
  start(component, block);
  Certifier certifier(component, options);
  Pace pace(target_gap(options));
  const double p = double(component.S.rows());
  bool may_box = true;
  while (result.iterations < options.max_iterations) {
    if (may_box && block.density() > GlassoBlock::kDense) {
      may_box = false;
      if (solve_in_box(component, options, block, certifier, result)) return result;
      continue;
    }
    ++result.iterations;
    if (!pace.finished(block.sweep(pace.tolerance() / p))) continue;
    GlassoBox box(component.S, component.penalty(), block.dual_point());
    double miss = kWorstMiss;
    if (box.invert() && certified(box, certifier, result, miss)) return result;
    if (pace.at_rest()) break;
    pace.missed_by(miss);
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
