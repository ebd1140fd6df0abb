#pragma once
// The perceptron from a column to a column: psi of PNP and phi of E2E (models/column_map.hpp).
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

/// sum_r M[r ldm + c] x(r) for r < rows, c < columns, given to put(c, sum): lanes along c, rows
/// shared out where there are more threads than columns. The whole block calls it; `parts` (shared)
/// has room for max(threads, columns). Ends with the sums' owners, not with a barrier.
template <class X, class Put>
__device__ __forceinline__ void dense_product(const double* __restrict__ M, int ldm, int rows,
                                              int columns, double* parts, X x, Put put) {
  constexpr int kDeep = 16;  // loads under way
  const int threads = int(blockDim.x), tid = int(threadIdx.x);
  const int shares = max(1, min(8, threads / columns)), length = (rows + shares - 1) / shares;
  for (int unit = tid; unit < shares * columns; unit += threads) {
    const int c = unit % columns, from = unit / columns * length, to = min(rows, from + length);
    const double* m = M + c;
    double s = 0, t = 0;
    int r = from;
    for (; r + kDeep <= to; r += kDeep) {
      double a[kDeep];
#pragma unroll
      for (int k = 0; k < kDeep; ++k) a[k] = __ldg(m + long(r + k) * ldm);
#pragma unroll
      for (int k = 0; k < kDeep; k += 2)
        s = fma(a[k], x(r + k), s), t = fma(a[k + 1], x(r + k + 1), t);
    }
    for (; r < to; ++r) s = fma(__ldg(m + long(r) * ldm), x(r), s);
    parts[unit] = s + t;
  }
  block_barrier();
  for (int c = tid; c < columns; c += threads) put(c, strided_sum(parts + c, shares, columns));
}

/// On the tape of a column: h (hidden), d_h (hidden), x and d_out (p - 1 each).
/// The gradients of the weights from every column's tape. All threads call it.
template <class B, class TapeOf, class Put>
__device__ void map_gradients(const B& b, const MlpAt& at, TapeOf tape_of, Put put) {
  const int in = at.in, hidden = at.hidden, p = b.p;
  if (in == 0) {  // nothing was computed, nothing was kept
    for (int k = b.thread(); k < hidden; k += b.all_threads()) put(at.b1 + k, 0.0);
    return;
  }
  const auto d_h = [&](int i, int k) { return tape_of(i)[hidden + k]; };
  const auto d_out = [&](int i, int c) { return tape_of(i)[2 * hidden + in + c]; };
  outer_sums(
      b, p, hidden, in, d_h, [&](int i, int c) { return tape_of(i)[2 * hidden + c]; },
      [&](int k, int c, double g) { put(at.A1 + k * in + c, g); });
  outer_sums(
      b, p, in, hidden, d_out, [&](int i, int k) { return tape_of(i)[k]; },
      [&](int c, int k, double g) { put(at.A2 + c * hidden + k, g); });
  const auto over_columns = [&](int k, auto d, int to) {
    double s = 0;
#pragma unroll 8
    for (int i = 0; i < p; ++i) s += d(i, k);
    put(to + k, s);
  };
  for (int k = b.thread(); k < hidden; k += b.all_threads()) over_columns(k, d_h, at.b1);
  for (int c = b.thread(); c < in; c += b.all_threads()) over_columns(c, d_out, at.b2);
}

template <class B>
struct ColumnMap;

template <int C>
struct ColumnMap<Block<C>> {
  MlpAt at;
  const double *weights, *A1_T, *A2_T;
  int at_parts, at_h;  ///< in shared memory

  __host__ __device__ static int tape_numbers(const MlpAt& at) { return 2 * (at.hidden + at.in); }
  __host__ __device__ static int parts_numbers(const MlpAt& at, int threads) {
    const int most = at.hidden > at.in ? at.hidden : at.in;
    return even(most > threads ? most : threads);
  }
  __host__ __device__ static int shared_numbers(const MlpAt& at, int threads) {
    return parts_numbers(at, threads) + even(at.hidden);
  }
  __device__ void place(const MlpAt& at_, Block<C>& b) {
    at = at_;
    at_parts = b.at_rule;
    at_h = at_parts + parts_numbers(at, b.threads());
    b.at_rule = at_h + even(at.hidden);
  }
  __device__ void begin(const double* weights_, const double* A1_T_, const double* A2_T_) {
    weights = weights_, A1_T = A1_T_, A2_T = A2_T_;
  }

  /// The block's x (full, 0 at i) becomes map(x), 0 at i and beyond p. Needs a barrier before.
  __device__ void forward(Block<C>& b, int i, double* tape) const {
    const int in = at.in, hidden = at.hidden;
    if (in == 0) return;
    double *parts = shared_memory + at_parts, *h = shared_memory + at_h, *x = b.shared().x;
    double *keep_h = tape, *keep_x = tape + 2 * hidden;
    for (int c = b.tid; c < in; c += b.threads()) keep_x[c] = x[c + (c >= i)];
    dense_product(
        A1_T, hidden, in, hidden, parts, [&](int c) { return x[c + (c >= i)]; },
        [&](int k, double s) { keep_h[k] = h[k] = relu(s + weights[at.b1 + k]); });
    block_barrier();
    dense_product(
        A2_T, in, hidden, in, parts, [&](int k) { return h[k]; },
        [&](int c, double s) { x[c + (c >= i)] = s + weights[at.b2 + c]; });
    if (b.tid == 0) x[i] = 0;
    block_barrier();
  }
  /// From d_out in the block's x the adjoint of the input, there. Needs a barrier before.
  __device__ void backward(Block<C>& b, int i, double* tape) const {
    const int in = at.in, hidden = at.hidden;
    if (in == 0) return;
    double *parts = shared_memory + at_parts, *h = shared_memory + at_h, *x = b.shared().x;
    double *keep_h = tape, *d_h = tape + hidden, *d_out = tape + 2 * hidden + in;
    for (int c = b.tid; c < in; c += b.threads()) d_out[c] = x[c + (c >= i)];
    dense_product(
        weights + at.A2, hidden, in, hidden, parts, [&](int c) { return x[c + (c >= i)]; },
        [&](int k, double s) { d_h[k] = h[k] = keep_h[k] > 0 ? s : 0.0; });
    block_barrier();
    dense_product(
        weights + at.A1, in, hidden, in, parts, [&](int k) { return h[k]; },
        [&](int c, double s) { x[c + (c >= i)] = s; });
    if (b.tid == 0) x[i] = 0;
    block_barrier();
  }
  template <class TapeOf, class Put>
  __device__ void gradients(Block<C>& b, TapeOf tape_of, Put put) const {
    map_gradients(b, at, tape_of, put);
  }
};

}  // namespace spodnet::cuda
