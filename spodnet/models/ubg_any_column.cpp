#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/models/ubg_any.hpp"

namespace spodnet {
namespace {

constexpr double kLargestStep = 6, kLargestMargin = 3;  ///< exponents
constexpr double kPresent = 0.05;  ///< share of w_22 in the variance that v is measured in

/// exp(L phi(x / L)): like exp near 0 and never beyond exp(+-L), so that no weights and no data let
/// Theta or W grow without bound.
double bounded_exp(double x, double L) { return std::exp(x * L / (L + std::abs(x))); }
/// The adjoint of x from that of bounded_exp(x).
double bounded_exp_backward(double x, double L, double d) {
  const double t = L / (L + std::abs(x));
  return d * bounded_exp(x, L) * t * t;
}

double variance(const Column& column) { return column.s_22 + kPresent * column.w_22; }

EntryInput entry_input(const Column& column, const double* z) {
  return {.n = padded(column.p),
          .z = z,
          .theta = column.theta_12,
          .w = column.w_12,
          .s = column.s_12,
          .diag_Theta = column.diag_Theta,
          .diag_S = column.diag_S,
          .theta_22 = column.theta_22,
          .k = std::sqrt(column.n) / 3};
}

double block_sum(const double* partial) { return std::accumulate(partial, partial + kBlock, 0.0); }

/// Adds the partial sums to `to` and empties them.
void collect(AlignedVector& partial, double* to) {
  for (std::size_t k = 0; k < partial.size() / kBlock; ++k)
    to[k] += block_sum(&partial[k * kBlock]);
  std::fill(partial.begin(), partial.end(), 0.0);
}

}  // namespace

void UbgAnyRule::preactivation(const Prepared& prepared, const Column& column, double* z,
                               Tape& tape) const {
  const std::size_t k = row(column, tape);
  const EntryInput in = entry_input(column, nullptr);
  tape.sums[k] = entry_kernels().sums(in);
  double* x = &tape.x[k * kFeatureStride];
  column_features(column, tape.sums[k], x);
  double* log_gamma = &tape.gamma[k * kBlock];
  gamma_.forward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()], log_gamma);
  entry_kernels().step(in, bounded_exp(log_gamma[0], kLargestStep), z);
}

void UbgAnyRule::preactivation_backward(const Prepared& prepared, const Column& column,
                                        const double* d_z, Tape& tape, double* /*d_weights*/,
                                        ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const EntryInput in = entry_input(column, nullptr);
  EntryAdjoint entries{
      .d_theta = adjoint.d_theta_12, .d_w = adjoint.d_w_12, .d_diag = adjoint.d_diag_Theta};
  const double* log_gamma = &tape.gamma[k * kBlock];
  const double d_gamma =
      entry_kernels().step_backward(in, bounded_exp(log_gamma[0], kLargestStep), d_z, entries);
  alignas(64) double d_log[kBlock] = {bounded_exp_backward(log_gamma[0], kLargestStep, d_gamma)};
  const double* x = &tape.x[k * kFeatureStride];
  gamma_.backward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()], d_log,
                  tape.d_in.data(), tape.pending_gamma);
  for (std::size_t f = 0; f < kColumnFeatures; ++f) tape.d_x[f] += tape.d_in[f];

  ColumnSums d_sums;
  column_features_backward(column, tape.sums[k], tape.d_x.data(), d_sums, adjoint);
  entry_kernels().sums_backward(in, d_sums, entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  std::fill(tape.d_x.begin(), tape.d_x.end(), 0.0);
}

EntryWeights UbgAnyRule::entry_weights(const Prepared& prepared, const Column& column,
                                       Tape& tape) const {
  const std::size_t lh = padded(hidden_);
  const double* rows[kColumnFeatures];
  for (std::size_t f = 0; f < kColumnFeatures; ++f) rows[f] = &prepared.C_T[f * lh];
  std::copy_n(prepared.weights + b_, hidden_, tape.b.data());
  kernels().combine(lh, kColumnFeatures, &tape.x[row(column, tape) * kFeatureStride], rows,
                    tape.b.data());
  return {hidden_, prepared.weights + A_, tape.b.data(), prepared.weights + B_,
          prepared.weights[c_]};
}

void UbgAnyRule::thresholds(const Prepared& prepared, const Column& column, const double* z,
                            double* lambda, Tape& tape) const {
  entry_kernels().thresholds(entry_input(column, z), entry_weights(prepared, column, tape), lambda);
}

void UbgAnyRule::thresholds_backward(const Prepared& prepared, const Column& column,
                                     const double* z, const double* d_lambda, Tape& tape,
                                     double* d_weights, double* d_z, ColumnAdjoint& adjoint) const {
  EntryAdjoint entries{.d_A = tape.partial_A.data(),
                       .d_b = tape.partial_b.data(),
                       .d_B = tape.partial_B.data(),
                       .d_c = tape.partial_B.data() + hidden_ * kBlock,
                       .d_z = d_z,
                       .d_theta = adjoint.d_theta_12,
                       .d_w = adjoint.d_w_12,
                       .d_diag = adjoint.d_diag_Theta};
  entry_kernels().thresholds_backward(entry_input(column, z), entry_weights(prepared, column, tape),
                                      d_lambda, entries);
  adjoint.d_theta_22 += entries.d_theta_22;

  std::fill(tape.d_b.begin(), tape.d_b.end(), 0.0);
  collect(tape.partial_b, tape.d_b.data());
  for (std::size_t k = 0; k < hidden_; ++k) d_weights[b_ + k] += tape.d_b[k];
  const std::size_t lh = padded(hidden_);
  kernels().gemm(kColumnFeatures, lh, 1, &tape.x[row(column, tape) * kFeatureStride], 1, 1,
                 tape.d_b.data(), lh, tape.d_C.data(), lh);
  kernels().gemm(1, kFeatureStride, hidden_, tape.d_b.data(), lh, 1, prepared.C.data(),
                 kFeatureStride, tape.d_x.data(), kFeatureStride);
}

const double* UbgAnyRule::margin_input(const Column& column, double q, Tape& tape) const {
  std::copy_n(&tape.x[row(column, tape) * kFeatureStride], kColumnFeatures, tape.g_x.data());
  tape.g_x[kColumnFeatures] = std::log1p(q * column.w_22);
  tape.g_x[kColumnFeatures + 1] = std::log1p(q);
  return tape.g_x.data();
}

double UbgAnyRule::margin(const Prepared& prepared, const Column& column, double q,
                          Tape& tape) const {
  alignas(64) double out[kBlock];
  g_.forward(prepared.g, 1, margin_input(column, q, tape),
             &tape.g_h[row(column, tape) * g_.hidden_stride()], out);
  return bounded_exp(out[0], kLargestMargin) / variance(column);
}

double UbgAnyRule::margin_backward(const Prepared& prepared, const Column& column, double q,
                                   double d_v, Tape& tape, double* /*d_weights*/,
                                   ColumnAdjoint& adjoint) const {
  const double* x = margin_input(column, q, tape);
  double* h = &tape.g_h[row(column, tape) * g_.hidden_stride()];
  alignas(64) double out[kBlock];
  g_.forward(prepared.g, 1, x, h, out);
  alignas(64) double d_out[kBlock] = {bounded_exp_backward(out[0], kLargestMargin, d_v) /
                                      variance(column)};
  g_.backward(prepared.g, 1, x, h, d_out, tape.d_in.data(), tape.pending_g);
  for (std::size_t f = 0; f < kColumnFeatures; ++f) tape.d_x[f] += tape.d_in[f];
  const double d_relative = tape.d_in[kColumnFeatures] / (1 + q * column.w_22);
  const double v = bounded_exp(out[0], kLargestMargin) / variance(column);
  adjoint.d_w_22 += d_relative * q - d_v * v * kPresent / variance(column);
  return d_relative * column.w_22 + tape.d_in[kColumnFeatures + 1] / (1 + q);
}

void UbgAnyRule::finish_backward(Tape& tape, double* d_weights) const {
  gamma_.finish(tape.pending_gamma, d_weights);
  g_.finish(tape.pending_g, d_weights);
  collect(tape.partial_A, d_weights + A_);
  for (std::size_t k = 0; k < hidden_; ++k)
    d_weights[B_ + k] += block_sum(&tape.partial_B[k * kBlock]);
  d_weights[c_] += block_sum(&tape.partial_B[hidden_ * kBlock]);
  std::fill(tape.partial_B.begin(), tape.partial_B.end(), 0.0);
  for (std::size_t k = 0; k < hidden_; ++k)
    for (std::size_t f = 0; f < kColumnFeatures; ++f)
      d_weights[C_ + k * kColumnFeatures + f] += tape.d_C[f * padded(hidden_) + k];
  std::fill(tape.d_C.begin(), tape.d_C.end(), 0.0);
}

}  // namespace spodnet
