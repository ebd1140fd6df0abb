#pragma once
// What the size-free rules make of their networks' outputs: ubg-any and pnp-any
// (models/ubg_any.hpp, pnp_any.hpp), and consistent-any (models/consistent_any.hpp), where all that
// is learned fades.
#include "spodnet/cuda/entry_features.cuh"

namespace spodnet::cuda {

/// The step of a column and what its adjoint leaves: the adjoint of m_j^2 = Theta_jj theta_22, and
/// this entry's share of gamma's.
struct StepAdjointOfEntry {
  double d_m2 = 0, d_gamma = 0;
};

/// kShift: every entry is shifted by a second network (pnp-any).
template <bool kShift_>
struct PlainForm {
  static constexpr bool kShift = kShift_, kSigns = kShift_;  ///< signs: the thresholds see them
  static constexpr bool kLearnedStart = false;
  static constexpr double kLargestStep = 6, kLargestMargin = 3, kPresent = 0.05;

  __device__ void begin(const WalkProblem&) {}

  /// gamma = exp_6(y), and d_y.
  __device__ __forceinline__ double gamma(double y) const { return bounded_exp(y, kLargestStep); }
  __device__ __forceinline__ double gamma_backward(double y, double d_gamma) const {
    return bounded_exp_backward(y, kLargestStep, d_gamma);
  }
  /// u = theta - gamma m phi(m r).
  __device__ __forceinline__ double step(double theta, double r, double m, double gamma) const {
    const double y = m * r;
    return theta - gamma * m * y / (1.0 + fabs(y));
  }
  __device__ __forceinline__ StepAdjointOfEntry step_backward(double r, double m, double gamma,
                                                              double d_u, EntryAdjoint& d) const {
    const double y = m * r, t = 1.0 / (1.0 + fabs(y)), phi = y * t;
    const double inv_m = m > 0 ? 1 / m : 0.0, d_y = -gamma * m * d_u * t * t;
    d.theta += d_u;
    d.w -= d_y * m;
    return {0.5 * inv_m * (d_y * r - gamma * d_u * phi), -d_u * m * phi};
  }

  /// z = u + m shift; its adjoint in units of m. The same of lambda = m t.
  __device__ __forceinline__ double shifted(double u, double m, double shift) const {
    return fma(m, shift, u);
  }
  __device__ __forceinline__ double shift_backward(double, double, double d_z, double&) const {
    return d_z;
  }
  __device__ __forceinline__ double threshold(double m, double t) const { return m * t; }
  __device__ __forceinline__ double threshold_backward(double, double, double d_lambda,
                                                       double&) const {
    return d_lambda;
  }

  /// v = exp_3(y) / (s_22 + w_22 / 20); from d_v to d_y, and what w_22 gets.
  __device__ __forceinline__ double margin(const WalkColumn& column, double y) const {
    return bounded_exp(y, kLargestMargin) / variance(column);
  }
  __device__ __forceinline__ double margin_backward(const WalkColumn& column, double y, double d_v,
                                                    double& d_w_22) const {
    d_w_22 = -d_v * margin(column, y) * kPresent / variance(column);
    return bounded_exp_backward(y, kLargestMargin, d_v) / variance(column);
  }

 private:
  __device__ __forceinline__ static double variance(const WalkColumn& column) {
    return fma(kPresent, column.w_22, column.s_22);
  }
};

/// With tau = min(1, 2 p / n) and c = tau / sqrt(1 - rho + rho m^2), rho = 1 - tau / 2
/// (models/fading.hpp).
struct ConsistentForm {
  static constexpr bool kShift = true, kSigns = true, kLearnedStart = true;
  static constexpr double kLargestStep = 4, kLargestMargin = 3, kSafeStep = 1.5;

  double tau = 1, limit = 0;  ///< limit: of the step

  __device__ void begin(const WalkProblem& problem) {
    const double p = problem.p, r2 = exp(2 * (problem.summary[2] - 2));
    const double curvature = fmin(p, sqrt(p + p * (p - 1) * r2));  // ||S||_F, nearly
    tau = fmin(1.0, 2 * p / problem.n);
    limit = (1 - tau / 2) * curvature / kSafeStep;
  }

  /// gamma = g / (1 + g limit), g = exp_4(y).
  __device__ __forceinline__ double gamma(double y) const {
    const double g = bounded_exp(y, kLargestStep);
    return g / (1 + g * limit);
  }
  __device__ __forceinline__ double gamma_backward(double y, double d_gamma) const {
    const double t = 1 / (1 + bounded_exp(y, kLargestStep) * limit);
    return bounded_exp_backward(y, kLargestStep, d_gamma * t * t);
  }
  /// u = theta - gamma phi(r).
  __device__ __forceinline__ double step(double theta, double r, double, double gamma) const {
    return theta - gamma * r / (1.0 + fabs(r));
  }
  __device__ __forceinline__ StepAdjointOfEntry step_backward(double r, double, double gamma,
                                                              double d_u, EntryAdjoint& d) const {
    const double t = 1.0 / (1.0 + fabs(r));
    d.theta += d_u;
    d.w += gamma * d_u * t * t;
    return {0, -d_u * r * t};
  }

  /// z = u + c m shift.
  __device__ __forceinline__ double shifted(double u, double m, double shift) const {
    return fma(unit(m) * m, shift, u);
  }
  __device__ __forceinline__ double shift_backward(double m, double shift, double d_z,
                                                   double& d_m2) const {
    d_m2 = d_z * m * shift * unit_slope(m);
    return d_z * unit(m);
  }
  /// lambda = c m t / (1 + (1 - tau) t).
  __device__ __forceinline__ double threshold(double m, double t) const {
    return unit(m) * m * t / (1 + (1 - tau) * t);
  }
  __device__ __forceinline__ double threshold_backward(double m, double t, double d_lambda,
                                                       double& d_m2) const {
    const double c = unit(m), b = 1 / (1 + (1 - tau) * t), inv_m = m > 0 ? 1 / m : 0.0;
    const double bounded = 0.5 * c * (1 - tau) * t * t * b * b * inv_m;  // t = lambda's m t over m
    d_m2 = d_lambda * (m * t * b * unit_slope(m) + bounded);
    return d_lambda * c * b * b;
  }

  /// v = exp(tau 3 phi(y / 3)) / s_22.
  __device__ __forceinline__ double margin(const WalkColumn& column, double y) const {
    return exp(tau * y * kLargestMargin / (kLargestMargin + fabs(y))) / column.s_22;
  }
  __device__ __forceinline__ double margin_backward(const WalkColumn& column, double y, double d_v,
                                                    double& d_w_22) const {
    const double t = kLargestMargin / (kLargestMargin + fabs(y));
    d_w_22 = 0;
    return d_v * margin(column, y) * tau * t * t;
  }

 private:
  __device__ __forceinline__ double inside_root(double m) const {
    const double rho = 1 - tau / 2;
    return fma(rho, m * m, 1 - rho);
  }
  __device__ __forceinline__ double unit(double m) const { return tau / sqrt(inside_root(m)); }
  /// d c / d m^2.
  __device__ __forceinline__ double unit_slope(double m) const {
    const double x = inside_root(m);
    return -0.5 * tau * (1 - tau / 2) / (x * sqrt(x));
  }
};

}  // namespace spodnet::cuda
