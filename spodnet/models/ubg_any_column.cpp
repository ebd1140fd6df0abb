#include <algorithm>
#include <cmath>

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

}  // namespace

double UbgAnyRule::step_size(const Column& column, const Tape& tape) const {
  return bounded_exp(tape.gamma[row(column, tape) * kBlock], kLargestStep);
}

void UbgAnyRule::preactivation(const Prepared& prepared, const Column& column, double* z,
                               Tape& tape) const {
  const std::size_t k = row(column, tape);
  const EntryInput in = entry_input(column, nullptr);
  tape.sums[k] = entry_kernels().sums(in);
  double* x = &tape.x[k * kFeatureStride];
  column_features(column, tape.sums[k], x);
  double* log_gamma = &tape.gamma[k * kBlock];
  gamma_.forward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()], log_gamma);
  entry_kernels().step(in, step_size(column, tape), z);
}

void UbgAnyRule::preactivation_backward(const Prepared& prepared, const Column& column,
                                        const double* d_z, Tape& tape, double* /*d_weights*/,
                                        ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const EntryInput in = entry_input(column, nullptr);
  EntryAdjoint entries{
      .d_theta = adjoint.d_theta_12, .d_w = adjoint.d_w_12, .d_diag = adjoint.d_diag_Theta};
  const double* log_gamma = &tape.gamma[k * kBlock];
  const double d_gamma = entry_kernels().step_backward(in, step_size(column, tape), d_z, entries);
  alignas(64) double d_log[kBlock] = {bounded_exp_backward(log_gamma[0], kLargestStep, d_gamma)};
  const double* x = &tape.x[k * kFeatureStride];
  gamma_.backward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()], d_log,
                  tape.d_in.data(), tape.pending_gamma);
  for (std::size_t f = 0; f < features_; ++f) tape.d_x[f] += tape.d_in[f];

  ColumnSums d_sums;
  column_features_backward(column, tape.sums[k], tape.d_x.data(), d_sums, adjoint);
  entry_kernels().sums_backward(in, d_sums, entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  std::fill(tape.d_x.begin(), tape.d_x.end(), 0.0);
}

void UbgAnyRule::thresholds(const Prepared& prepared, const Column& column, const double* z,
                            double* lambda, Tape& tape) const {
  const double* x = features(column, tape);
  entry_kernels().thresholds(entry_input(column, z, signs_),
                             lambda_.weights(prepared.lambda, x, tape.lambda, row(column, tape)),
                             lambda);
}

void UbgAnyRule::thresholds_backward(const Prepared& prepared, const Column& column,
                                     const double* z, const double* d_lambda, Tape& tape,
                                     double* d_weights, double* d_z, ColumnAdjoint& adjoint) const {
  const double* x = features(column, tape);
  const std::size_t k = row(column, tape);
  EntryAdjoint entries = lambda_.adjoint(tape.lambda);
  entries.attach(d_z, adjoint.d_theta_12, adjoint.d_w_12, adjoint.d_diag_Theta);
  entry_kernels().thresholds_backward(entry_input(column, z, signs_),
                                      lambda_.weights(prepared.lambda, x, tape.lambda, k), d_lambda,
                                      entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  lambda_.column_backward(prepared.lambda, x, tape.lambda, k, d_weights, tape.d_x.data());
}

double UbgAnyRule::margin(const Prepared& prepared, const Column& column, double q,
                          Tape& tape) const {
  const double y =
      g_.forward(prepared.g, column, features(column, tape), q, row(column, tape), tape.g);
  return bounded_exp(y, kLargestMargin) / variance(column);
}

double UbgAnyRule::margin_backward(const Prepared& prepared, const Column& column, double q,
                                   double d_v, Tape& tape, double* /*d_weights*/,
                                   ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const double y = g_.forward(prepared.g, column, features(column, tape), q, k, tape.g);
  const double d_y = bounded_exp_backward(y, kLargestMargin, d_v) / variance(column);
  const auto d = g_.backward(prepared.g, column, q, d_y, k, tape.g, tape.d_x.data());
  const double v = bounded_exp(y, kLargestMargin) / variance(column);
  adjoint.d_w_22 += d.d_w_22 - d_v * v * kPresent / variance(column);
  return d.d_q;
}

void UbgAnyRule::finish_backward(Tape& tape, double* d_weights) const {
  gamma_.finish(tape.pending_gamma, d_weights);
  g_.finish(tape.g, d_weights);
  lambda_.finish(tape.lambda, d_weights);
}

}  // namespace spodnet
