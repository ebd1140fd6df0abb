#include "spodnet/models/gradient_step.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

GradientStep::GradientStep(ParameterLayout& layout, const RuleShape& shape)
    : p_(shape.p), mlp_(layout, "f.gamma", shape.p - 1, shape.width("gamma", shape.p / 2), 1) {}

void GradientStep::reserve(Tape& tape, std::size_t slots) const {
  tape.slots = slots;
  tape.h.assign(p_ * slots * mlp_.hidden_stride(), 0.0);
  tape.input.assign(slots, nullptr);
  tape.next.assign(slots, 0);
  tape.sigma.assign(p_ * slots, 0.0);
  mlp_.reserve(tape.pending);
}

void GradientStep::begin(const Prepared& prepared, std::span<const LayerTape> tapes,
                         Tape& tape) const {
  const std::size_t lh = mlp_.hidden_stride();
  for (std::size_t s = 0; s < tapes.size(); ++s) {
    tape.input[s] = tapes[s].Theta_in[0];
    tape.next[s] = 0;
    mlp_.begin_without(prepared, tape.input[s], padded(p_), tape.h.data() + s * lh,
                       tape.slots * lh);
  }
}

void GradientStep::forward(const Prepared& prepared, const Column& column, double* z,
                           Tape& tape) const {
  const std::size_t k = row(column, tape), lh = mlp_.hidden_stride();
  const double* input = tape.input[column.slot];
  const bool begun = column.i == tape.next[column.slot] && input &&
                     column.theta_12 == input + column.i * padded(p_);
  tape.sigma[k] =
      mlp_.forward_without(prepared, column.i, column.theta_12, begun, tape.h.data() + k * lh);
  tape.next[column.slot] = column.i + 1;  // a column that is tried again begins again
  recall(column, z, tape);
}

void GradientStep::recall(const Column& column, double* z, Tape& tape) const {
  const double gamma = std::abs(tape.sigma[row(column, tape)]);
  kernels().gradient_step(padded(p_), gamma, column.theta_12, column.s_12, column.w_12,
                          z);  // Eq. (6)
}

void GradientStep::backward(const Prepared& prepared, const Column& column, const double* d_z,
                            Tape& tape, ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const double sigma = tape.sigma[k];
  const double d_gamma =
      kernels().gradient_step_backward(padded(p_), std::abs(sigma), column.s_12, column.w_12, d_z,
                                       adjoint.fresh, adjoint.d_theta_12, adjoint.d_w_12);
  const double d_sigma = sigma > 0 ? d_gamma : sigma < 0 ? -d_gamma : 0.0;
  mlp_.backward_without(prepared, column.i, column.theta_12,
                        tape.h.data() + k * mlp_.hidden_stride(), d_sigma,
                        std::min(p_, adjoint.theta_read), adjoint.d_theta_12, tape.pending);
}

}  // namespace spodnet
