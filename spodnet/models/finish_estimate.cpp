#include "spodnet/models/finish_estimate.hpp"

#include <cmath>
#include <utility>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kWorstResidual = 1e-2;  ///< beyond it W is no inverse, whatever Cholesky says
constexpr double kWorstInput = 0.1;      ///< the same where there is nothing better to return

/// W = Theta^{-1} and the residual; false when Theta is not numerically SPD.
bool certify(Estimate& estimate, ThreadPool* pool = nullptr) {
  if (!std::isfinite(spd_inverse(estimate.Theta, estimate.W, pool)) || !estimate.W.allFinite())
    return false;
  estimate.residual = inverse_residual(estimate.Theta, estimate.W, pool);
  return true;
}

/// Imposes the constraints; the diagonal alone meets them all and is SPD.
void impose(const Constraints& constraints, Estimate& estimate) {
  constraints.impose(estimate.Theta);
  const Matrix diagonal = estimate.Theta.diagonal().asDiagonal();
  const Matrix rest = estimate.Theta - diagonal;
  for (double share = 1; share > 1e-4; share /= 2) {
    estimate.Theta = diagonal + share * rest;
    if (certify(estimate) && estimate.residual <= kWorstResidual) return;
  }
  estimate.Theta = diagonal;
  certify(estimate);
}

/// Where they are broken.
void impose_constraints(const Constraints* constraints, Estimate& estimate) {
  if (!constraints || constraints->hold(estimate.Theta)) return;
  impose(*constraints, estimate);
  estimate.message += ", with the constraints imposed on it";
}

}  // namespace

std::optional<Estimate> end_of_walk(const MatrixWorkspace& slot, const LayerTape& tape) {
  if (slot.status != Status::ok) return {};
  Estimate estimate;
  estimate.Theta = slot.state.theta(tape, slot.done);
  estimate.refreshes = slot.refreshes + 1;  // W is recomputed once before output
  return estimate;
}

std::optional<Estimate> finish_estimate(Estimate estimate, const Constraints* constraints,
                                        ThreadPool* pool) {
  if (!certify(estimate, pool) || !(estimate.residual <= kWorstResidual)) return {};
  impose_constraints(constraints, estimate);
  return estimate;
}

Estimate finish_estimate(MatrixWorkspace& slot, const std::vector<const LayerTape*>& tapes) {
  Estimate estimate;
  estimate.status = slot.status;
  estimate.refreshes = slot.refreshes + 1;  // W is recomputed once before output
  std::size_t layer = slot.layer, done = slot.done;
  while (true) {
    const bool at_input = done == 0 && layer == 0;
    estimate.Theta = slot.state.theta(*tapes[layer], done);
    if (certify(estimate) && estimate.residual <= (at_input ? kWorstInput : kWorstResidual)) break;
    if (estimate.status == Status::ok) estimate.status = Status::not_spd;
    if (at_input)
      throw Error(
          "estimate: S + offset I is not numerically positive definite: S must be a covariance "
          "matrix; are its variables of very different scale, standardise them");
    if (done == 0) done = tapes[--layer]->scalars.size();
    slot.state.undo_diagonal(*tapes[layer], --done);
  }
  if (estimate.status != Status::ok)
    estimate.message =
        std::string(estimate.status == Status::not_spd ? "rounding" : "a NaN or infinity") +
        " stopped the walk in layer " + std::to_string(slot.layer) + " after column " +
        std::to_string(slot.done) + "; the last positive-definite iterate was kept (layer " +
        std::to_string(layer) + ", column " + std::to_string(done) + ")";
  impose_constraints(slot.constraints, estimate);
  return estimate;
}

}  // namespace spodnet
