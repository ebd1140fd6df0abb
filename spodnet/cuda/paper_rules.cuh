#pragma once
// g and lambda of the paper's rules (models/paper_rule.hpp).
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

/// e(x) = c2 + sum_k B2_k relu(B1_k x + c1_k), and its slope. Weights in shared memory.
struct ScalarMlp {
  const RuleAt& at;
  int base;  ///< of the layer's first weights, in shared memory

  __device__ __forceinline__ const double* B1() const { return shared_memory + base + at.B1; }
  __device__ __forceinline__ const double* c1() const { return shared_memory + base + at.c1; }
  __device__ __forceinline__ const double* B2() const { return shared_memory + base + at.B2; }

  template <int H>
  __device__ __forceinline__ double value_of(double x) const {
    double e = shared_memory[base + at.c2], f = 0;
#pragma unroll
    for (int k = 0; k < (H > 0 ? H : at.lambda_hidden); ++k) {
      const double t = relu(fma(B1()[k], x, c1()[k]));
      if (k & 1)
        f = fma(B2()[k], t, f);
      else
        e = fma(B2()[k], t, e);
    }
    return e + f;
  }
  template <int H>
  __device__ __forceinline__ double slope_of(double x) const {
    double s = 0;
#pragma unroll
    for (int k = 0; k < (H > 0 ? H : at.lambda_hidden); ++k)
      s = fma(B2()[k], fma(B1()[k], x, c1()[k]) > 0 ? B1()[k] : 0.0, s);
    return s;
  }
  __device__ __forceinline__ double value(double x) const {
    return at.lambda_hidden == 5 ? value_of<5>(x) : value_of<0>(x);
  }
  __device__ __forceinline__ double slope(double x) const {
    return at.lambda_hidden == 5 ? slope_of<5>(x) : slope_of<0>(x);
  }
};

/// The paper's g, v = |MLP(theta_22, s_22, q)| with 3 -> H -> H -> 1; H = 0: any width up to 64.
/// Weights in shared memory.
struct MarginMlp {
  static constexpr int kMostHidden = 64;
  const RuleAt& at;
  int base;

  __device__ __forceinline__ const double* A(int k) const {
    return shared_memory + base + at.g_A[k];
  }
  __device__ __forceinline__ const double* b(int k) const {
    return shared_memory + base + at.g_b[k];
  }

  template <int H>
  struct Activations {
    double h1[H > 0 ? H : kMostHidden], h2[H > 0 ? H : kMostHidden], out;
  };
  template <int H>
  __device__ __forceinline__ void activate(const double (&x)[3], Activations<H>& a) const {
    const int n = H > 0 ? H : at.g_hidden;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const double* row = A(0) + 3 * k;
      a.h1[k] = relu(fma(row[2], x[2], fma(row[1], x[1], fma(row[0], x[0], b(0)[k]))));
    }
    a.out = b(2)[0];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      double s = b(1)[k];
#pragma unroll
      for (int l = 0; l < n; ++l) s = fma(A(1)[k * n + l], a.h1[l], s);
      a.h2[k] = relu(s);
      a.out = fma(A(2)[k], a.h2[k], a.out);
    }
  }
  /// d_x from d_value. `keep`, unless null, gets what the weights' gradients are made of: d_h1,
  /// d_h2, d_out, h1, h2.
  template <int H>
  __device__ __forceinline__ void backward_of(const double (&x)[3], double d_value,
                                              double (&d_x)[3], double* keep) const {
    const int n = H > 0 ? H : at.g_hidden;
    Activations<H> a;
    activate<H>(x, a);
    const double d_out = sign(a.out) * d_value;
    double d_h1[H > 0 ? H : kMostHidden] = {};
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const double d_h2 = a.h2[k] > 0 ? d_out * A(2)[k] : 0.0;
      if (keep) keep[n + k] = d_h2, keep[2 * n + 1 + k] = a.h1[k], keep[3 * n + 1 + k] = a.h2[k];
#pragma unroll
      for (int l = 0; l < n; ++l) d_h1[l] = fma(d_h2, A(1)[k * n + l], d_h1[l]);
    }
    d_x[0] = d_x[1] = d_x[2] = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const double d = a.h1[k] > 0 ? d_h1[k] : 0.0;
      if (keep) keep[k] = d;
#pragma unroll
      for (int c = 0; c < 3; ++c) d_x[c] = fma(d, A(0)[3 * k + c], d_x[c]);
    }
    if (keep) keep[2 * n] = d_out;
  }
  /// Of any width, not inlined: its arrays would weigh on the usual one.
  __device__ __noinline__ double value_any(double x0, double x1, double x2) const {
    const double x[3] = {x0, x1, x2};
    Activations<0> a;
    activate<0>(x, a);
    return fabs(a.out);
  }
  __device__ __noinline__ double3 backward_any(double x0, double x1, double x2, double d_value,
                                               double* keep) const {
    const double x[3] = {x0, x1, x2};
    double d[3];
    backward_of<0>(x, d_value, d, keep);
    return {d[0], d[1], d[2]};
  }

  __device__ __forceinline__ double value(double theta_22, double s_22, double q) const {
    if (at.g_hidden != 3) return value_any(theta_22, s_22, q);
    const double x[3] = {theta_22, s_22, q};
    Activations<3> a;
    activate<3>(x, a);
    return fabs(a.out);
  }
  __device__ __forceinline__ void backward(const double (&x)[3], double d_value, double (&d_x)[3],
                                           double* keep = nullptr) const {
    if (at.g_hidden == 3) return backward_of<3>(x, d_value, d_x, keep);
    const double3 d = backward_any(x[0], x[1], x[2], d_value, keep);
    d_x[0] = d.x, d_x[1] = d.y, d_x[2] = d.z;
  }
  __host__ __device__ static int keep_numbers(int hidden) { return 4 * hidden + 1; }
};

/// The gradients of lambda's network from d_e of every entry (kEntry) and its scaled z: with
/// E_k = sum d_e and N_k = sum d_e z over the entries where unit k is on.
template <class B, class Put>
__device__ void lambda_gradients(const B& b, const ScalarMlp& mlp, const Tape& tape, Put put) {
  constexpr int kUnits = 5;
  const int hidden = mlp.at.lambda_hidden, n = b.p * tape.ld;  // 0 beyond p
  const double *z = tape.row(kZ, 0), *d_e = tape.row(kEntry, 0);
  for (int first = 0; first < hidden; first += kUnits) {
    double B1[kUnits], c1[kUnits], s[2 * kUnits + 1] = {};
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int unit = first + k < hidden ? first + k : 0;
      B1[k] = mlp.B1()[unit], c1[k] = mlp.c1()[unit];
    }
#pragma unroll 4
    for (int t = b.thread(); t < n; t += b.all_threads()) {
      const double x = z[t], d = d_e[t];
      s[2 * kUnits] += d;
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        const double on = fma(B1[k], x, c1[k]) > 0 ? d : 0.0;
        s[k] += on, s[kUnits + k] = fma(on, x, s[kUnits + k]);
      }
    }
    b.all_sum(s);
    if (b.thread() != 0) continue;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int unit = first + k;
      if (unit >= hidden) continue;
      const double E = s[k], N = s[kUnits + k];
      put(mlp.at.B1 + unit, mlp.B2()[unit] * N);
      put(mlp.at.c1 + unit, mlp.B2()[unit] * E);
      put(mlp.at.B2 + unit, mlp.B1()[unit] * N + mlp.c1()[unit] * E);
    }
    if (first == 0) put(mlp.at.c2, s[2 * kUnits]);
  }
}

/// The gradients of g from d_v of every column. `scratch` (global) has p x keep_numbers.
template <class B, class Put>
__device__ void margin_gradients(const B& b, const MarginMlp& g, double* scratch, Put put) {
  const RuleAt& at = g.at;
  const int p = b.p, n = at.g_hidden, each = MarginMlp::keep_numbers(n);
  for (int i = b.thread(); i < p; i += b.all_threads()) {
    const double* t = b.numbers(i);
    const double x[3] = {t[kTheta22], t[kS22], t[kQ]};
    double d_x[3];
    g.backward(x, t[kDV], d_x, scratch + i * each);
  }
  b.all_barrier();
  // entry `left` of the column's record times entry `right` of it, or times one
  const auto over_columns = [&](int left, int right) {
    double s = 0;
#pragma unroll 4
    for (int i = 0; i < p; ++i) {
      const double* keep = scratch + i * each;
      s = fma(keep[left], right < 0 ? 1.0 : keep[right], s);
    }
    return s;
  };
  const int input[3] = {kTheta22, kS22, kQ};
  for (int k = b.thread(); k < 3 * n; k += b.all_threads()) {
    double s = 0;
    for (int i = 0; i < p; ++i) s = fma(scratch[i * each + k / 3], b.numbers(i)[input[k % 3]], s);
    put(at.g_A[0] + k, s);
  }
  for (int k = b.thread(); k < n; k += b.all_threads()) {
    put(at.g_b[0] + k, over_columns(k, -1));
    put(at.g_b[1] + k, over_columns(n + k, -1));
    put(at.g_A[2] + k, over_columns(2 * n, 3 * n + 1 + k));
  }
  for (int k = b.thread(); k < n * n; k += b.all_threads())
    put(at.g_A[1] + k, over_columns(n + k / n, 2 * n + 1 + k % n));
  if (b.thread() == 0) put(at.g_b[2], over_columns(2 * n, -1));
}

}  // namespace spodnet::cuda
