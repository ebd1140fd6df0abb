#include "spodnet/models/pnp_any.hpp"

#include <algorithm>

namespace spodnet {
namespace {

constexpr std::size_t kUsualWidthPnp = 16;
constexpr double kStartSpread = 0.1;  ///< the shift begins small

}  // namespace

PnpAnyRule::PnpAnyRule(const RuleShape& shape)
    : step_(shape, true),
      layout_(step_.layout()),
      psi_(layout_, "f.psi",
           {.features = features_of(shape),
            .hidden = shape.width("psi", kUsualWidthPnp),
            .adapt = shape.extra("psi_adapt"),
            .spread = kStartSpread}) {}

void PnpAnyRule::prepare(const double* weights, Prepared& prepared) const {
  step_.prepare(weights, prepared.step);
  psi_.prepare(weights, prepared.psi);
}

void PnpAnyRule::reserve(Tape& tape, std::size_t slots, std::size_t p) const {
  step_.reserve(tape.step, slots, p);
  psi_.reserve(tape.psi, slots * p);
  tape.u.assign(padded(p), 0.0);
  tape.d_u.assign(padded(p), 0.0);
}

void PnpAnyRule::preactivation(const Prepared& prepared, const Column& column, double* z,
                               Tape& tape) const {
  step_.preactivation(prepared.step, column, tape.u.data(), tape.step);
  const double* x = step_.features(column, tape.step);
  entry_kernels().shift(entry_input(column, tape.u.data()),
                        psi_.weights(prepared.psi, x, tape.psi, step_.row(column, tape.step)), z);
  z[column.i] = 0;
}

void PnpAnyRule::preactivation_backward(const Prepared& prepared, const Column& column,
                                        const double* d_z, Tape& tape, double* d_weights,
                                        ColumnAdjoint& adjoint) const {
  const double* x = step_.features(column, tape.step);
  const EntryInput in = entry_input(column, tape.u.data());
  entry_kernels().step(in, step_.step_size(column, tape.step), tape.u.data());
  std::copy_n(d_z, in.n, tape.d_u.data());
  EntryAdjoint entries = psi_.adjoint(tape.psi);
  entries.attach(tape.d_u.data(), adjoint.d_theta_12, adjoint.d_w_12, adjoint.d_diag_Theta);
  const std::size_t row = step_.row(column, tape.step);
  entry_kernels().shift_backward(in, psi_.weights(prepared.psi, x, tape.psi, row), d_z, entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  psi_.column_backward(prepared.psi, x, tape.psi, row, d_weights, tape.step.d_x.data());
  step_.preactivation_backward(prepared.step, column, tape.d_u.data(), tape.step, d_weights,
                               adjoint);
}

void PnpAnyRule::finish_backward(Tape& tape, double* d_weights) const {
  step_.finish_backward(tape.step, d_weights);
  psi_.finish(tape.psi, d_weights);
}

}  // namespace spodnet
