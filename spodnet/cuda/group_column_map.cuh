#pragma once
// The perceptron from a column to a column (column_map.cuh) for a group of blocks.
#include "spodnet/cuda/column_map.cuh"
#include "spodnet/cuda/group_block.cuh"

namespace spodnet::cuda {

/// A warp of any block takes a hidden unit; then each block its own entries.
template <>
struct ColumnMap<GroupBlock> {
  MlpAt at;
  const double *weights, *A1_T, *A2_T;

  __host__ __device__ static int tape_numbers(const MlpAt& at) { return 2 * (at.hidden + at.in); }
  __host__ __device__ static int shared_numbers(const MlpAt&, int) { return 0; }
  __device__ void place(const MlpAt& at_, GroupBlock&) { at = at_; }
  __device__ void begin(const double* weights_, const double* A1_T_, const double* A2_T_) {
    weights = weights_, A1_T = A1_T_, A2_T = A2_T_;
  }

  /// The shown x (0 at i) becomes map(x), each block its own entries, 0 at i.
  __device__ void forward(const GroupBlock& b, int i, double* tape) const {
    double* keep_x = tape + 2 * at.hidden;
    for (int c = b.thread(); c < at.in; c += b.all_threads())
      keep_x[c] = b.shown(kShownX)[c + (c >= i)];
    two_products(
        b, i, weights + at.A1, weights + at.A2,
        [&](int h, double s) { return tape[h] = relu(s + weights[at.b1 + h]); },
        [&](int c) { return weights[at.b2 + c]; });
  }
  /// From the shown d_out the adjoint of the input.
  __device__ void backward(const GroupBlock& b, int i, double* tape) const {
    const int in = at.in, hidden = at.hidden;
    double *d_h = tape + hidden, *d_out = tape + 2 * hidden + in;
    for (int c = b.thread(); c < in; c += b.all_threads())
      d_out[c] = b.shown(kShownX)[c + (c >= i)];
    two_products(
        b, i, A2_T, A1_T, [&](int h, double s) { return d_h[h] = tape[h] > 0 ? s : 0.0; },
        [](int) { return 0.0; });
  }
  template <class TapeOf, class Put>
  __device__ void gradients(const GroupBlock& b, TapeOf tape_of, Put put) const {
    map_gradients(b, at, tape_of, put);
  }

 private:
  /// N (hidden x in) x, between(unit, sum), M (in x hidden) of that, + start(c). All threads call
  /// it, after a barrier of their block.
  template <class Between, class Start>
  __device__ void two_products(const GroupBlock& b, int i, const double* N, const double* M,
                               Between between, Start start) const {
    const double* x = b.shown(kShownX);
    double* h = b.shown(kShownHidden);
    for (int k = b.all_warp(); k < at.hidden; k += b.all_warps()) {
      double s = 0;
#pragma unroll 4
      for (int c = b.lane; c < at.in; c += 32) s = fma(N[long(k) * at.in + c], x[c + (c >= i)], s);
      s = warp_sum(s);
      if (b.lane == 0) h[k] = between(k, s);
    }
    b.all_barrier();
    for (int k = b.warp; k < b.count; k += b.threads() / 32) {
      const int j = b.first + k, c = j - (j > i);
      double s = 0;
#pragma unroll 4
      for (int n = b.lane; n < at.hidden; n += 32)
        if (j != i) s = fma(M[long(c) * at.hidden + n], h[n], s);
      s = warp_sum(s);
      if (b.lane == 0) b.shared().x[k] = j == i ? 0.0 : s + start(c);
    }
    block_barrier();
  }
};

}  // namespace spodnet::cuda
