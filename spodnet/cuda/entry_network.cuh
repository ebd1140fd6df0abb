#pragma once
// The network that every entry of a column goes through (models/entry_network.hpp).
#include "spodnet/cuda/column_mlp.cuh"
#include "spodnet/cuda/entry_features.cuh"

namespace spodnet::cuda {

/// Where a column's numbers of an entry network lie on its tape.
struct EntryNetworkTape {
  int b, B, d_b, d_B, d_c, h, d_h, size;

  EntryNetworkTape() = default;
  __host__ __device__ EntryNetworkTape(const EntryNetworkAt& at, int first) {
    b = first, B = b + at.hidden, d_b = B + at.hidden, d_B = d_b + at.hidden, d_c = d_B + at.hidden;
    h = d_c + 1, d_h = h + at.adapt.hidden, size = d_h + at.adapt.hidden - first;
  }
};

/// out_j = c + B relu(A x_j + b), b and B the column's (b + C x + b'(x), B + B'(x)). A lies in
/// shared memory, every lane reads the same number of it.
template <class OnBlock>
struct EntryNetwork {
  static constexpr int kSlots = OnBlock::kSlots;

  EntryNetworkAt at;
  EntryNetworkTape tape;
  WarpMlp adapt;
  int base;    ///< in shared memory: A (hidden x 10), C' (features x odd), b, B, c
  int column;  ///< of the current column: b, B; then d_b, d_B, d_c
  int sums;    ///< of A's gradient, hidden x kEntryFeatures

  __host__ __device__ static int lda(const EntryNetworkAt& at) { return at.hidden | 1; }
  __host__ __device__ static int shared_numbers(const EntryNetworkAt& at) {
    const int fixed = at.hidden * kFeatureRow + at.features * lda(at) + 2 * at.hidden + 2;
    return even(fixed) + even(4 * at.hidden + 2) + even(at.hidden * kEntryFeatures) +
           WarpMlp::shared_numbers(at.adapt);
  }
  __device__ void place(const EntryNetworkAt& at_, int first_on_tape, int& next) {
    at = at_, tape = EntryNetworkTape(at, first_on_tape), base = next;
    next += even(at.hidden * kFeatureRow + at.features * lda(at) + 2 * at.hidden + 2);
    column = next, next += even(4 * at.hidden + 2);
    sums = next, next += even(at.hidden * kEntryFeatures);
    adapt.place(at.adapt, next);
  }
  __device__ __forceinline__ double* A() const { return shared_memory + base; }
  __device__ __forceinline__ double* C_T() const { return A() + at.hidden * kFeatureRow; }
  __device__ __forceinline__ double* fixed_b() const { return C_T() + at.features * lda(at); }
  __device__ __forceinline__ double* fixed_B() const { return fixed_b() + at.hidden; }
  __device__ __forceinline__ double c() const { return fixed_B()[at.hidden]; }
  __device__ __forceinline__ double* b() const { return shared_memory + column; }
  __device__ __forceinline__ double* B() const { return b() + at.hidden; }
  __device__ __forceinline__ double* d_b() const { return B() + at.hidden; }
  __device__ __forceinline__ double* d_B() const { return d_b() + at.hidden; }
  __device__ __forceinline__ double* d_c() const { return d_B() + at.hidden; }

  __device__ void begin(const double* weights, int tid, int threads) const {
    for (int k = tid; k < at.hidden * kEntryFeatures; k += threads) {
      A()[k / kEntryFeatures * kFeatureRow + k % kEntryFeatures] = weights[at.A + k];
      shared_memory[sums + k] = 0;
    }
    for (int k = tid; k < at.hidden * at.features; k += threads)
      C_T()[k % at.features * lda(at) + k / at.features] = weights[at.C + k];
    for (int k = tid; k < at.hidden; k += threads)
      fixed_b()[k] = weights[at.b + k], fixed_B()[k] = weights[at.B + k];
    if (tid == 0) fixed_B()[at.hidden] = weights[at.c];
    if (at.adapt.hidden > 0) adapt.begin(weights, tid, threads);
  }

  /// b and B of a column with features x (shared), by one warp; kept on its tape.
  __device__ void open(const double* x, double* on_tape, int lane) const {
    double* h = on_tape + tape.h;
    if (at.adapt.hidden > 0) adapt.hidden(x, h, lane);
    for (int k = lane; k < at.hidden; k += 32) {
      double s = fixed_b()[k], B_k = fixed_B()[k];
      for (int f = 0; f < at.features; ++f) s = fma(C_T()[f * lda(at) + k], x[f], s);
      if (at.adapt.hidden > 0) {
        s += adapt.output_of(h, k);
        B_k += adapt.output_of(h, at.hidden + k);
      }
      b()[k] = s, B()[k] = B_k;
      on_tape[tape.b + k] = s, on_tape[tape.B + k] = B_k;
    }
    __syncwarp();
  }
  /// The same from the tape.
  __device__ void recall(const double* on_tape, int lane) const {
    for (int k = lane; k < at.hidden; k += 32)
      b()[k] = on_tape[tape.b + k], B()[k] = on_tape[tape.B + k];
    __syncwarp();
  }

  __device__ __forceinline__ double unit(int k, const double (&x)[kEntryFeatures]) const {
    const double2* a = reinterpret_cast<const double2*>(A() + k * kFeatureRow);
    double s = b()[k], t = 0;
#pragma unroll
    for (int f = 0; f < kEntryFeatures / 2; ++f) {
      const double2 pair = a[f];
      s = fma(pair.x, x[2 * f], s), t = fma(pair.y, x[2 * f + 1], t);
    }
    return fma(A()[k * kFeatureRow + kEntryFeatures - 1], x[kEntryFeatures - 1], s + t);
  }
  __device__ __forceinline__ double output(const double (&x)[kEntryFeatures]) const {
    double out = c();
#pragma unroll 4
    for (int k = 0; k < at.hidden; ++k) out = fma(B()[k], relu(unit(k, x)), out);
    return out;
  }
  /// From d_out the features' adjoint; leaves d_pre and d_out relu(pre) of every unit in the rows
  /// of `terms` (unit x 2 x kSlots), this entry's place.
  __device__ __forceinline__ void backward(const double (&x)[kEntryFeatures], double d_out,
                                           double (&d_x)[kEntryFeatures], double* terms) const {
#pragma unroll
    for (int f = 0; f < kEntryFeatures; ++f) d_x[f] = 0;
    for (int k = 0; k < at.hidden; ++k) {
      const double pre = unit(k, x), d_pre = pre > 0 ? d_out * B()[k] : 0.0;
      terms[2 * k * kSlots] = d_pre;
      terms[(2 * k + 1) * kSlots] = pre > 0 ? d_out * pre : 0.0;
#pragma unroll
      for (int f = 0; f < kEntryFeatures; ++f)
        d_x[f] = fma(d_pre, A()[k * kFeatureRow + f], d_x[f]);
    }
  }
  /// Sums over the entries: d_b and d_B of the column, and on to A's gradient. `terms` as above,
  /// `x` the features (kEntryFeatures x kSlots), then d_out. By all warps, barriers around it.
  __device__ void reduce(const double* terms, const double* x, int warp, int warps,
                         int lane) const {
    for (int k = warp; k <= at.hidden; k += warps) {
      double s[kEntryFeatures + 2] = {};
#pragma unroll
      for (int m = 0; m < kSlots / 32; ++m) {
        const int j = lane + 32 * m;
        if (k == at.hidden) {
          s[0] += x[kEntryFeatures * kSlots + j];
          continue;
        }
        const double d_pre = terms[2 * k * kSlots + j];
        s[kEntryFeatures] += d_pre;
        s[kEntryFeatures + 1] += terms[(2 * k + 1) * kSlots + j];
#pragma unroll
        for (int f = 0; f < kEntryFeatures; ++f) s[f] = fma(d_pre, x[f * kSlots + j], s[f]);
      }
      warp_sum(s);
      if (lane == 0) {
        if (k == at.hidden) {
          d_c()[0] = s[0];
        } else {
          d_b()[k] = s[kEntryFeatures], d_B()[k] = s[kEntryFeatures + 1];
#pragma unroll
          for (int f = 0; f < kEntryFeatures; ++f)
            shared_memory[sums + k * kEntryFeatures + f] += s[f];
        }
      }
    }
  }
  /// After `reduce`: keeps the column's sums on its tape (warp 0) and returns what feature `lane`
  /// gets. `d_h` is scratch of this warp.
  __device__ double close(double* on_tape, double* d_h, int warp, int lane) const {
    if (warp == 0) {
      for (int k = lane; k < at.hidden; k += 32)
        on_tape[tape.d_b + k] = d_b()[k], on_tape[tape.d_B + k] = d_B()[k];
      if (lane == 0) on_tape[tape.d_c] = d_c()[0];
    }
    double d_x = 0;
    if (lane < at.features)
      for (int k = 0; k < at.hidden; ++k) d_x = fma(C_T()[lane * lda(at) + k], d_b()[k], d_x);
    if (at.adapt.hidden == 0) return d_x;
    adapt.hidden_backward(on_tape + tape.h, d_b(), d_h, lane);  // d_b and d_B lie side by side
    if (warp == 0)
      for (int k = lane; k < at.adapt.hidden; k += 32) on_tape[tape.d_h + k] = d_h[k];
    if (lane < at.features) d_x += adapt.input_backward(d_h, lane);
    __syncwarp();
    return d_x;
  }
  /// All gradients, by all threads; on(i) is the tape of column i, its features at 0.
  template <class On, class Put>
  __device__ void gradients(const OnBlock& block, On on, Put put) const {
    const EntryNetworkTape& t = tape;
    const int p = block.p;
    const auto x = [&](int i, int f) { return on(i)[f]; };
    const auto d_b_of = [&](int i, int k) { return on(i)[t.d_b + k]; };
    outer_sums(block, p, at.hidden, at.features, d_b_of, x,
               [&](int k, int f, double g) { put(at.C + k * at.features + f, g); });
    for (int k = block.thread(); k < 2 * at.hidden + 1; k += block.all_threads()) {
      double s = 0;
#pragma unroll 4
      for (int i = 0; i < p; ++i) s += on(i)[t.d_b + k];
      put(k < at.hidden ? at.b + k : k < 2 * at.hidden ? at.B + k - at.hidden : at.c, s);
    }
    block.sum_array_of_all(shared_memory + sums, at.hidden * kEntryFeatures);
    for (int k = block.thread(); k < at.hidden * kEntryFeatures; k += block.all_threads())
      put(at.A + k, shared_memory[sums + k]);
    if (at.adapt.hidden > 0)
      mlp_gradients(
          block, at.adapt, x, [&](int i, int k) { return on(i)[t.h + k]; },
          [&](int i, int k) { return on(i)[t.d_h + k]; }, d_b_of, put);
  }
};

}  // namespace spodnet::cuda
