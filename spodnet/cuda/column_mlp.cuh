#pragma once
// Small perceptrons of a column's features, each evaluated by a warp (models/column_mlp.hpp).
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

/// in -> hidden -> ReLU -> out with its weights in shared memory: A1' with an odd row stride, so
/// that lanes along either side read it without conflicts. Lanes are hidden units, then outputs.
struct WarpMlp {
  MlpAt at;
  int base;  ///< in shared memory: A1', b1, A2' (hidden x out), b2

  __host__ __device__ static int lda(const MlpAt& at) { return at.hidden | 1; }
  __host__ __device__ static int ldo(const MlpAt& at) { return at.out | 1; }
  __host__ __device__ static int shared_numbers(const MlpAt& at) {
    return (at.in * lda(at) + at.hidden + at.hidden * ldo(at) + at.out + 1) & ~1;
  }
  __device__ void place(const MlpAt& at_, int& next) {
    at = at_, base = next;
    next += shared_numbers(at);
  }
  __device__ __forceinline__ double* A1() const { return shared_memory + base; }
  __device__ __forceinline__ double* b1() const { return A1() + at.in * lda(at); }
  __device__ __forceinline__ double* A2() const { return b1() + at.hidden; }
  __device__ __forceinline__ double* b2() const { return A2() + at.hidden * ldo(at); }

  __device__ void begin(const double* weights, int tid, int threads) const {
    for (int k = tid; k < at.hidden * at.in; k += threads)
      A1()[k % at.in * lda(at) + k / at.in] = weights[at.A1 + k];
    for (int k = tid; k < at.hidden * at.out; k += threads)
      A2()[k % at.hidden * ldo(at) + k / at.hidden] = weights[at.A2 + k];
    for (int k = tid; k < at.hidden; k += threads) b1()[k] = weights[at.b1 + k];
    for (int k = tid; k < at.out; k += threads) b2()[k] = weights[at.b2 + k];
  }

  /// h (shared or global, this warp's) from x (shared).
  __device__ __forceinline__ void hidden(const double* x, double* h, int lane) const {
    for (int k = lane; k < at.hidden; k += 32) {
      double s = b1()[k];
#pragma unroll 4
      for (int f = 0; f < at.in; ++f) s = fma(A1()[f * lda(at) + k], x[f], s);
      h[k] = relu(s);
    }
    __syncwarp();
  }
  /// The only output, in every lane.
  __device__ __forceinline__ double output(const double* h, int lane) const {
    double s = 0;
    for (int k = lane; k < at.hidden; k += 32) s = fma(A2()[k * ldo(at)], h[k], s);
    return warp_sum(s) + b2()[0];
  }
  /// Of several outputs: number o.
  __device__ __forceinline__ double output_of(const double* h, int o) const {
    double s = b2()[o];
#pragma unroll 4
    for (int k = 0; k < at.hidden; ++k) s = fma(A2()[k * ldo(at) + o], h[k], s);
    return s;
  }
  /// d_h (this warp's) from d_out (shared, `out` numbers) and h.
  __device__ __forceinline__ void hidden_backward(const double* h, const double* d_out, double* d_h,
                                                  int lane) const {
    for (int k = lane; k < at.hidden; k += 32) {
      double s = 0;
      for (int o = 0; o < at.out; ++o) s = fma(A2()[k * ldo(at) + o], d_out[o], s);
      d_h[k] = h[k] > 0 ? s : 0.0;
    }
    __syncwarp();
  }
  /// The same for one output, whose adjoint every lane has.
  __device__ __forceinline__ void hidden_backward(const double* h, double d_out, double* d_h,
                                                  int lane) const {
    for (int k = lane; k < at.hidden; k += 32) d_h[k] = h[k] > 0 ? A2()[k * ldo(at)] * d_out : 0.0;
    __syncwarp();
  }
  /// The adjoint of input f.
  __device__ __forceinline__ double input_backward(const double* d_h, int f) const {
    double s = 0;
#pragma unroll 4
    for (int k = 0; k < at.hidden; ++k) s = fma(A1()[f * lda(at) + k], d_h[k], s);
    return s;
  }
};

/// The gradients of a perceptron from what p columns left on a tape: functions of (column, index)
/// for its input, hidden units, and the adjoints of hidden units and outputs. By the whole block.
template <class B, class In, class H, class DH, class DOut, class Put>
__device__ void mlp_gradients(const B& b, const MlpAt& at, In in, H h, DH d_h, DOut d_out,
                              Put put) {
  const int p = b.p;
  outer_sums(b, p, at.hidden, at.in, d_h, in,
             [&](int k, int f, double g) { put(at.A1 + k * at.in + f, g); });
  outer_sums(b, p, at.out, at.hidden, d_out, h,
             [&](int o, int k, double g) { put(at.A2 + o * at.hidden + k, g); });
  for (int k = b.thread(); k < at.hidden + at.out; k += b.all_threads()) {
    double s = 0;
#pragma unroll 4
    for (int i = 0; i < p; ++i) s += k < at.hidden ? d_h(i, k) : d_out(i, k - at.hidden);
    put(k < at.hidden ? at.b1 + k : at.b2 + k - at.hidden, s);
  }
}

}  // namespace spodnet::cuda
