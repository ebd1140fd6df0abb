#include "spodnet/models/gradient_step.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

GradientStep::GradientStep(ParameterLayout& layout, const RuleShape& shape)
    : p_(shape.p), mlp_(layout, "f.gamma", shape.p - 1, shape.width("gamma", shape.p / 2), 1) {}

void GradientStep::reserve(Tape& tape, std::size_t slots) const {
  tape.slots = slots;
  tape.h.assign(p_ * slots * mlp_.hidden_stride(), 0.0);
  tape.sigma.assign(p_ * slots * kBlock, 0.0);
  tape.x.assign(mlp_.in_stride(), 0.0);
  tape.d_x.assign(mlp_.in_stride(), 0.0);
  tape.r.assign(padded(p_), 0.0);
  mlp_.reserve(tape.pending);
}

void GradientStep::forward(const Prepared& prepared, const Column& column, double* z,
                           Tape& tape) const {
  const std::size_t k = row(column, tape);
  remove_entry(p_, column.i, column.theta_12, tape.x.data());
  mlp_.forward(prepared, 1, tape.x.data(), &tape.h[k * mlp_.hidden_stride()],
               &tape.sigma[k * kBlock]);
  recall(column, z, tape);
}

void GradientStep::recall(const Column& column, double* z, Tape& tape) const {
  const Kernels& kernel = kernels();
  const double gamma = std::abs(tape.sigma[row(column, tape) * kBlock]);
  kernel.linear(padded(p_), 1.0, column.s_12, -1.0, column.w_12, tape.r.data());
  kernel.linear(padded(p_), 1.0, column.theta_12, -gamma, tape.r.data(), z);  // Eq. (6)
}

void GradientStep::backward(const Prepared& prepared, const Column& column, const double* d_z,
                            Tape& tape, ColumnAdjoint& adjoint) const {
  const Kernels& kernel = kernels();
  const std::size_t k = row(column, tape), n = padded(p_);
  const double sigma = tape.sigma[k * kBlock], gamma = std::abs(sigma);
  kernel.linear(n, 1.0, column.s_12, -1.0, column.w_12, tape.r.data());
  const double d_gamma = -kernel.dot(n, d_z, tape.r.data());
  alignas(64) double d_sigma[kBlock] = {sigma > 0 ? d_gamma : sigma < 0 ? -d_gamma : 0.0};
  kernel.axpy(n, 1.0, d_z, adjoint.d_theta_12);
  kernel.axpy(n, gamma, d_z, adjoint.d_w_12);
  remove_entry(p_, column.i, column.theta_12, tape.x.data());
  mlp_.backward(prepared, 1, tape.x.data(), &tape.h[k * mlp_.hidden_stride()], d_sigma,
                tape.d_x.data(), std::min(p_ - 1, adjoint.theta_read), tape.pending);
  add_without_entry(p_, column.i, tape.d_x.data(), adjoint.d_theta_12);
}

}  // namespace spodnet
