#pragma once
// What one entry of a column is like, for the size-free rules (models/entry_kernels.hpp).
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

constexpr int kEntryFeatures = 9;
constexpr int kFeatureRow = 10;  ///< of the weights A in shared memory

/// The features of an entry and, for the way back, what they were made of.
struct EntryFeatures {
  double x[kEntryFeatures], t[kEntryFeatures];  ///< phi(y) = y t, phi'(y) = t^2
  double z, size, theta, w, r, Theta, s_jj, m, inv_m;
  bool flip;  ///< the sign of z is divided out
};

struct EntryContext {
  double Theta, s_jj;  ///< diagonals at the entry
  double theta_22, k;  ///< k = sqrt(n) / 3
};

__device__ __forceinline__ EntryFeatures entry_features(const Entry& e, double z, bool with_signs,
                                                        const EntryContext& c) {
  EntryFeatures f;
  f.flip = !with_signs && z < 0;
  const double one = f.flip ? -1.0 : 1.0;
  f.z = z, f.size = one * z, f.theta = one * e.theta, f.w = one * e.w;
  f.r = one * e.s - f.w;
  f.Theta = c.Theta, f.s_jj = c.s_jj;
  f.m = sqrt(c.Theta * c.theta_22), f.inv_m = f.m > 0 ? reciprocal(f.m) : 0.0;
  const double scaled = f.size * f.inv_m, step = f.r * f.m;
  const double y[kEntryFeatures] = {scaled,     0,      step,    f.w * f.m,       c.k * scaled,
                                    c.k * step, f.size, f.Theta, f.s_jj * f.Theta};
#pragma unroll
  for (int k = 0; k < kEntryFeatures; ++k) {
    f.t[k] = reciprocal(1.0 + fabs(y[k]));
    f.x[k] = y[k] * f.t[k];
  }
  f.x[1] = f.theta * f.inv_m, f.t[1] = 1;
  return f;
}

/// From the features' adjoints d_x and that of m to those of the entry; returns d_z and adds this
/// entry's share of d_theta_22.
__device__ __forceinline__ double entry_features_backward(const EntryFeatures& f,
                                                          const EntryContext& c,
                                                          const double (&d_x)[kEntryFeatures],
                                                          double d_m, EntryAdjoint& d,
                                                          double& d_theta_22) {
  double d_y[kEntryFeatures];
#pragma unroll
  for (int k = 0; k < kEntryFeatures; ++k) d_y[k] = d_x[k] * f.t[k] * f.t[k];
  const double one = f.flip ? -1.0 : 1.0;
  const double d_scaled = fma(c.k, d_y[4], d_y[0]), d_step = fma(c.k, d_y[5], d_y[2]);
  d_m += d_step * f.r + d_y[3] * f.w - (d_scaled * f.size + d_y[1] * f.theta) * (f.inv_m * f.inv_m);
  d.theta += one * d_y[1] * f.inv_m;
  d.w += one * (d_y[3] - d_step) * f.m;
  d.diag += d_y[7] + d_y[8] * f.s_jj + d_m * f.inv_m * (0.5 * c.theta_22);
  d_theta_22 += 0.5 * d_m * f.Theta * f.inv_m;
  return one * fma(d_scaled, f.inv_m, d_y[6]);
}

/// out to lambda / m: softplus, (t + sqrt(t^2 + 1)) / 2.
struct ThresholdHead {
  __device__ __forceinline__ static double value(double t) {
    return 0.5 * (t + sqrt(fma(t, t, 1.0)));
  }
  __device__ __forceinline__ static double slope(double t) {
    return 0.5 * (1.0 + t / sqrt(fma(t, t, 1.0)));
  }
};
/// out to the shift of z / m: never beyond 1.
struct ShiftHead {
  __device__ __forceinline__ static double value(double t) { return t / (1.0 + fabs(t)); }
  __device__ __forceinline__ static double slope(double t) {
    const double s = 1.0 / (1.0 + fabs(t));
    return s * s;
  }
};

/// exp(L phi(x / L)), and the adjoint of x.
__device__ __forceinline__ double bounded_exp(double x, double L) {
  return exp(x * L / (L + fabs(x)));
}
__device__ __forceinline__ double bounded_exp_backward(double x, double L, double d) {
  const double t = L / (L + fabs(x));
  return d * bounded_exp(x, L) * t * t;
}

}  // namespace spodnet::cuda
