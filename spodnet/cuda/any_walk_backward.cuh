#pragma once
// The adjoint of the size-free rules (any_walk.cuh).
#include "spodnet/cuda/any_walk.cuh"

namespace spodnet::cuda {

/// The features of a column and its networks' b and B, from its tape.
template <class B, class Form>
__device__ void AnyWalk<B, Form>::begin_column(B& b, double* keep) {
  if (b.warp == 0 && b.lane < at.features) x()[b.lane] = keep[b.lane];
  if (b.warp == 1 % kWarps) lambda.recall(keep, b.lane);
  if (kShift && b.warp == 2 % kWarps) psi.recall(keep, b.lane);
  d_x = 0;
}

template <class B, class Form>
__device__ double AnyWalk<B, Form>::margin_backward(B& b, const WalkProblem&, const Tape& tape,
                                                    const WalkColumn& column, double q, double d_v,
                                                    WalkColumnAdjoint& d) {
  double* keep = tape.of_rule(column.i);
  begin_column(b, keep);
  margin_input(b, column, q);
  double *h = mine(b), *d_h = h + scratch / 2;
  g.hidden(x(), h, b.lane);
  double d_w_22;
  const double d_out = form.margin_backward(column, g.output(h, b.lane), d_v, d_w_22);
  g.hidden_backward(h, d_out, d_h, b.lane);
  if (b.lane < at.features) d_x += g.input_backward(d_h, b.lane);
  const double d_relative = g.input_backward(d_h, at.features) / (1 + q * column.w_22);
  const double d_plain = g.input_backward(d_h, at.features + 1) / (1 + q);
  if (b.warp == 0) {
    for (int k = b.lane; k < at.margin.hidden; k += 32)
      keep[on.g_h + k] = h[k], keep[on.g_d_h + k] = d_h[k];
    if (b.lane < 2) keep[on.g_in + b.lane] = x()[at.features + b.lane];
    if (b.lane == 0) keep[on.g_d] = d_out;
  }
  __syncwarp();
  d.w_22 += d_relative * q + d_w_22;
  return d_relative * column.w_22 + d_plain;
}

template <class B, class Form>
__device__ void AnyWalk<B, Form>::skip_margin_backward(B& b, const Tape& tape, int i) {
  double* keep = tape.of_rule(i);
  begin_column(b, keep);
  if (b.warp == 0)
    for (int k = on.g_in + b.lane; k <= on.g_d; k += 32) keep[k] = 0;
  b.wait_vectors();
}

/// One network backwards for one entry. scale(value, m, d_m2) is the adjoint of m times Head's
/// value, and of m^2 beside. Returns d_z.
template <class B, class Form>
template <class Head, class Scale>
__device__ double AnyWalk<B, Form>::network_backward(B& b, const EntryNetwork<B>& net,
                                                     const Entry& e, double z, bool with_signs,
                                                     const EntryContext& c, Scale scale,
                                                     double* keep, EntryAdjoint& d_entry,
                                                     double& d_theta_22) {
  const EntryFeatures f = entry_features(e, z, with_signs, c);
  const double out = net.output(f.x), value = Head::value(out);
  double d_m2 = 0;
  const double d = scale(value, f.m, d_m2), d_out = d * f.m * Head::slope(out);
  double d_f[kEntryFeatures];
  net.backward(f.x, d_out, d_f, shared_memory + at_terms + b.slot);
  double* features = shared_memory + at_features + b.slot;
#pragma unroll
  for (int k = 0; k < kEntryFeatures; ++k) features[k * kLength] = f.x[k];
  features[kEntryFeatures * kLength] = d_out;
  const double d_z = entry_features_backward(f, c, d_f, d * value, d_entry, d_theta_22);
  d_entry.diag += d_m2 * c.theta_22;
  d_theta_22 += d_m2 * c.Theta;
  join_network_backward(b, net);
  b.sum_array(net.d_b(), 2 * net.at.hidden + 1);
  d_x += net.close(keep, mine(b), b.warp, b.lane);
  return d_z;
}

template <class B, class Form>
__device__ double AnyWalk<B, Form>::threshold_backward(B& b, const WalkProblem& problem,
                                                       const Tape& tape, const WalkColumn& column,
                                                       const Entry& e, double z, double d_lambda,
                                                       EntryAdjoint& d_entry, WalkColumnAdjoint&) {
  const EntryContext c = context(b, problem, column, diag_Theta(b, column.i));
  const auto scale = [&](double t, double m, double& d_m2) {
    return form.threshold_backward(m, t, d_lambda, d_m2);
  };
  double d_theta_22 = 0;
  const double d_z = network_backward<ThresholdHead>(b, lambda, e, z, Form::kSigns, c, scale,
                                                     tape.of_rule(column.i), d_entry, d_theta_22);
  d_theta_22_ = d_theta_22;  // of this entry; summed with what follows
  return d_z;
}

template <class B, class Form>
__device__ void AnyWalk<B, Form>::preactivation_backward(B& b, const WalkProblem& problem,
                                                         const Tape& tape, const WalkColumn& column,
                                                         const Entry& e, const TapeEntry&,
                                                         double d_z, EntryAdjoint& d_entry,
                                                         WalkColumnAdjoint& d) {
  double* keep = tape.of_rule(column.i);
  const double Theta = diag_Theta(b, column.i), r = e.s - e.w;
  const EntryContext c = context(b, problem, column, Theta);
  const double log_gamma = keep[on.log_gamma], step = form.gamma(log_gamma);
  const double m = sqrt(Theta * column.theta_22);
  double d_theta_22 = d_theta_22_, d_u = d_z;
  if (kShift) {
    const double d_shifted = e.in ? d_z : 0.0;
    const auto scale = [&](double shift, double m_j, double& d_m2) {
      return form.shift_backward(m_j, shift, d_shifted, d_m2);
    };
    d_u += network_backward<ShiftHead>(b, psi, e, form.step(e.theta, r, m, step), true, c, scale,
                                       keep, d_entry, d_theta_22);
    if (!e.in) d_u = 0;
  }
  const StepAdjointOfEntry of_step = form.step_backward(r, m, step, d_u, d_entry);
  d_entry.diag += of_step.d_m2 * column.theta_22;
  double s[1] = {of_step.d_gamma};
  b.sum(s);
  step_size_backward(b, keep, log_gamma, s[0]);
  sums_backward(b, column, e, Theta, keep, d_theta_22 + of_step.d_m2 * Theta, d_entry, d);
}

/// From d_gamma to the weights of gamma's network and the features.
template <class B, class Form>
__device__ void AnyWalk<B, Form>::step_size_backward(B& b, double* keep, double log_gamma,
                                                     double d_gamma) {
  double *h = mine(b), *d_h = h + scratch / 2;
  const double d_log = form.gamma_backward(log_gamma, d_gamma);
  gamma.hidden(x(), h, b.lane);
  gamma.hidden_backward(h, d_log, d_h, b.lane);
  if (b.lane < at.features) d_x += gamma.input_backward(d_h, b.lane);
  if (b.warp == 0) {
    for (int k = b.lane; k < at.gamma.hidden; k += 32)
      keep[on.gamma_h + k] = h[k], keep[on.gamma_d_h + k] = d_h[k];
    if (b.lane == 0) keep[on.gamma_d] = d_log;
  }
  __syncwarp();
}

/// From the features to the column's sums and what they were made of; d_theta_22 is what this entry
/// has for it already.
template <class B, class Form>
__device__ void AnyWalk<B, Form>::sums_backward(B& b, const WalkColumn& column, const Entry& e,
                                                double Theta, const double* keep, double d_theta_22,
                                                EntryAdjoint& d_entry, WalkColumnAdjoint& d) {
  double d_sums[4];
  features_backward(column, keep, d_sums, d);
  const double r = e.s - e.w;
  const double inv_Theta = Theta > 0 ? 1 / Theta : 0.0, ratio = e.theta * inv_Theta;
  const double c_theta = d_sums[0] / column.theta_22;
  const double c_r = d_sums[1] * column.theta_22, c_w = d_sums[2] * column.theta_22;
  d_entry.theta += 2.0 * c_theta * ratio + d_sums[3] * r;
  d_entry.w += 2.0 * (c_w * e.w - c_r * r) * Theta - d_sums[3] * e.theta;
  d_entry.diag += c_r * r * r + c_w * e.w * e.w - c_theta * ratio * ratio;
  double to_theta_22[1] = {d_theta_22 + d_sums[1] * r * r * Theta + d_sums[2] * e.w * e.w * Theta -
                           c_theta * e.theta * ratio / column.theta_22};
  b.sum(to_theta_22);
  d.theta_22 += to_theta_22[0];
}

/// From d_x, feature by lane, to the sums' adjoints and those of theta_22 and w_22.
template <class B, class Form>
__device__ __forceinline__ void AnyWalk<B, Form>::features_backward(const WalkColumn& column,
                                                                    const double* keep,
                                                                    double (&d_sums)[4],
                                                                    WalkColumnAdjoint& d) const {
  double at_feature[7];
#pragma unroll
  for (int f = 0; f < 7; ++f) at_feature[f] = __shfl_sync(kAll, d_x, f);
  const double* sums = keep + on.sums;
#pragma unroll
  for (int k = 0; k < 3; ++k) d_sums[k] = at_feature[k] / (1 + sums[k]);
  const double t = 1 / (1 + fabs(sums[3]));
  d_sums[3] = at_feature[3] * t * t;
  const double total = column.s_22 + column.w_22, product = column.theta_22 * column.w_22;
  const double d_product = at_feature[5] * bounded_log_slope(product);
  d.theta_22 += d_product * column.w_22;
  d.w_22 += d_product * column.theta_22 + at_feature[6] * bounded_log_slope(column.w_22) -
            at_feature[4] * column.s_22 / (total * total);
}

template <class B, class Form>
__device__ void AnyWalk<B, Form>::weight_gradients(B& b, const Tape& tape) const {
  const auto put = [this](int k, double value) { layer.put(k, value); };
  const auto keep = [&](int i) { return tape.of_rule(i); };
  const int features = at.features;
  const auto row = [&](int first) { return [=](int i, int k) { return keep(i)[first + k]; }; };
  mlp_gradients(b, at.gamma, row(0), row(on.gamma_h), row(on.gamma_d_h), row(on.gamma_d), put);
  const auto g_in = [&](int i, int f) {
    return f < features ? keep(i)[f] : keep(i)[on.g_in + f - features];
  };
  mlp_gradients(b, at.margin, g_in, row(on.g_h), row(on.g_d_h), row(on.g_d), put);
  lambda.gradients(b, keep, put);
  if (kShift) psi.gradients(b, keep, put);
}

}  // namespace spodnet::cuda
