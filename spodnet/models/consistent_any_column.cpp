#include <algorithm>
#include <cmath>

#include "spodnet/models/consistent_any.hpp"
#include "spodnet/models/fading.hpp"

namespace spodnet {
namespace {

constexpr double kMostLogStep = 4, kMostLogMargin = 3;  ///< exponents
constexpr double kSafeStep = 1.5;  ///< over the largest curvature; 2 is where steps overshoot

/// ||S||_F of a correlation matrix, from the mean of its squared correlations in the summary; p
/// where there is no summary. No eigenvalue is larger.
double largest_curvature(const Column& column) {
  const double p = double(column.p);
  if (!column.summary) return p;
  const double r2 = std::exp(2 * (column.summary[2] - 2));  // and 1e-4 more
  return std::min(p, std::sqrt(p + p * (p - 1) * r2));
}

/// The limit of the step: gamma = g / (1 + g limit).
double step_limit(const Column& column) {
  return (1 - fading(column.n, column.p) / 2) * largest_curvature(column) / kSafeStep;
}

double m2_of(const Column& column, std::size_t j) { return column.diag_Theta[j] * column.theta_22; }

/// From the adjoint of m_j^2 to those of Theta_jj and theta_22.
void m2_backward(const Column& column, std::size_t j, double d_m2, ColumnAdjoint& adjoint) {
  adjoint.d_diag_Theta[j] += d_m2 * column.theta_22;
  adjoint.d_theta_22 += d_m2 * column.diag_Theta[j];
}

}  // namespace

double ConsistentAnyRule::gradient_step(const Column& column, const Tape& tape, double* u) const {
  const double g = limited_exp(tape.gamma[row(column, tape) * kBlock], kMostLogStep);
  const double gamma = g / (1 + g * step_limit(column));
  for (std::size_t j = 0; j < tape.ld; ++j) {
    const double r = column.s_12[j] - column.w_12[j];
    u[j] = column.theta_12[j] - gamma * r / (1 + std::abs(r));
  }
  return gamma;
}

/// Adds to d_theta_12 and d_w_12; returns the adjoint of the network's output.
double ConsistentAnyRule::gradient_step_backward(const Column& column, const Tape& tape,
                                                 const double* d_u, ColumnAdjoint& adjoint) const {
  const double log_g = tape.gamma[row(column, tape) * kBlock];
  const double g = limited_exp(log_g, kMostLogStep), t = 1 / (1 + g * step_limit(column));
  double d_gamma = 0;
  for (std::size_t j = 0; j < tape.ld; ++j) {
    const double r = column.s_12[j] - column.w_12[j], s = 1 / (1 + std::abs(r));
    d_gamma -= d_u[j] * r * s;
    adjoint.d_theta_12[j] += d_u[j];
    adjoint.d_w_12[j] += g * t * d_u[j] * s * s;
  }
  return d_gamma * t * t * g * limited_slope(log_g, kMostLogStep);
}

void ConsistentAnyRule::preactivation(const Prepared& prepared, const Column& column, double* z,
                                      Tape& tape) const {
  const std::size_t k = row(column, tape);
  tape.sums[k] = entry_kernels().sums(entry_input(column, nullptr));
  double* x = &tape.x[k * kFeatureStride];
  column_features(column, tape.sums[k], x);
  gamma_.forward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()],
                 &tape.gamma[k * kBlock]);
  gradient_step(column, tape, tape.u.data());
  double* shift = tape.shift[k];
  entry_kernels().shift(entry_input(column, tape.u.data()),
                        psi_.weights(prepared.psi, x, tape.psi_net, k), shift);
  const FadingUnit unit(fading(column.n, column.p));
  for (std::size_t j = 0; j < column.p; ++j) {
    shift[j] -= tape.u[j];
    z[j] = tape.u[j] + unit(m2_of(column, j)) * shift[j];
  }
  z[column.i] = 0;
}

void ConsistentAnyRule::preactivation_backward(const Prepared& prepared, const Column& column,
                                               const double* d_z, Tape& tape, double* d_weights,
                                               ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const double* x = features(column, tape);
  const double* shift = tape.shift[k];
  const FadingUnit unit(fading(column.n, column.p));
  gradient_step(column, tape, tape.u.data());
  std::copy_n(d_z, tape.ld, tape.d_u.data());
  std::fill(tape.scaled.begin(), tape.scaled.end(), 0.0);
  for (std::size_t j = 0; j < column.p; ++j) {
    if (d_z[j] == 0) continue;
    const double m2 = m2_of(column, j);
    tape.scaled[j] = d_z[j] * unit(m2);
    m2_backward(column, j, d_z[j] * shift[j] * unit.slope(m2), adjoint);
  }
  EntryAdjoint entries = psi_.adjoint(tape.psi_net);
  entries.attach(tape.d_u.data(), adjoint.d_theta_12, adjoint.d_w_12, adjoint.d_diag_Theta);
  entry_kernels().shift_backward(entry_input(column, tape.u.data()),
                                 psi_.weights(prepared.psi, x, tape.psi_net, k), tape.scaled.data(),
                                 entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  psi_.column_backward(prepared.psi, x, tape.psi_net, k, d_weights, tape.d_x.data());

  alignas(64) double d_out[kBlock] = {
      gradient_step_backward(column, tape, tape.d_u.data(), adjoint)};
  gamma_.backward(prepared.gamma, 1, x, &tape.gamma_h[k * gamma_.hidden_stride()], d_out,
                  tape.d_in.data(), tape.pending_gamma);
  for (std::size_t f = 0; f < features_; ++f) tape.d_x[f] += tape.d_in[f];
  ColumnSums d_sums;
  column_features_backward(column, tape.sums[k], tape.d_x.data(), d_sums, adjoint);
  EntryAdjoint of_sums{
      .d_theta = adjoint.d_theta_12, .d_w = adjoint.d_w_12, .d_diag = adjoint.d_diag_Theta};
  entry_kernels().sums_backward(entry_input(column, nullptr), d_sums, of_sums);
  adjoint.d_theta_22 += of_sums.d_theta_22;
  std::fill(tape.d_x.begin(), tape.d_x.end(), 0.0);
}

void ConsistentAnyRule::thresholds(const Prepared& prepared, const Column& column, const double* z,
                                   double* lambda, Tape& tape) const {
  const std::size_t k = row(column, tape);
  double* raw = tape.lambda[k];
  entry_kernels().thresholds(
      entry_input(column, z, true),
      lambda_.weights(prepared.lambda, features(column, tape), tape.lambda_net, k), raw);
  const double tau = fading(column.n, column.p);
  const FadingUnit unit(tau);
  for (std::size_t j = 0; j < column.p; ++j) {
    const double m2 = m2_of(column, j);
    lambda[j] = unit(m2) * raw[j] / (1 + (1 - tau) * raw[j] / std::sqrt(m2));
  }
}

void ConsistentAnyRule::thresholds_backward(const Prepared& prepared, const Column& column,
                                            const double* z, const double* d_lambda, Tape& tape,
                                            double* d_weights, double* d_z,
                                            ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const double* x = features(column, tape);
  const double* raw = tape.lambda[k];
  const double tau = fading(column.n, column.p);
  const FadingUnit unit(tau);
  std::fill(tape.scaled.begin(), tape.scaled.end(), 0.0);
  for (std::size_t j = 0; j < column.p; ++j) {
    if (d_lambda[j] == 0) continue;
    const double m2 = m2_of(column, j), c = unit(m2);
    const double s = raw[j] / std::sqrt(m2), t = 1 / (1 + (1 - tau) * s);
    tape.scaled[j] = d_lambda[j] * c * t * t;
    const double bounded = c * (1 - tau) * s * s * t * t / (2 * std::sqrt(m2));  // d / d m^2
    m2_backward(column, j, d_lambda[j] * (raw[j] * t * unit.slope(m2) + bounded), adjoint);
  }
  EntryAdjoint entries = lambda_.adjoint(tape.lambda_net);
  entries.attach(d_z, adjoint.d_theta_12, adjoint.d_w_12, adjoint.d_diag_Theta);
  entry_kernels().thresholds_backward(entry_input(column, z, true),
                                      lambda_.weights(prepared.lambda, x, tape.lambda_net, k),
                                      tape.scaled.data(), entries);
  adjoint.d_theta_22 += entries.d_theta_22;
  lambda_.column_backward(prepared.lambda, x, tape.lambda_net, k, d_weights, tape.d_x.data());
}

double ConsistentAnyRule::margin(const Prepared& prepared, const Column& column, double q,
                                 Tape& tape) const {
  const double y =
      g_.forward(prepared.g, column, features(column, tape), q, row(column, tape), tape.g);
  return std::pow(limited_exp(y, kMostLogMargin), fading(column.n, column.p)) / column.s_22;
}

double ConsistentAnyRule::margin_backward(const Prepared& prepared, const Column& column, double q,
                                          double d_v, Tape& tape, double* /*d_weights*/,
                                          ColumnAdjoint& adjoint) const {
  const std::size_t k = row(column, tape);
  const double y = g_.forward(prepared.g, column, features(column, tape), q, k, tape.g);
  const double tau = fading(column.n, column.p);
  const double v = std::pow(limited_exp(y, kMostLogMargin), tau) / column.s_22;
  const double d_y = d_v * v * tau * limited_slope(y, kMostLogMargin);
  const auto d = g_.backward(prepared.g, column, q, d_y, k, tape.g, tape.d_x.data());
  adjoint.d_w_22 += d.d_w_22;
  return d.d_q;
}

}  // namespace spodnet
