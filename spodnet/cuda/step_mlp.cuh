#pragma once
// gamma of UBG and PNP (models/gradient_step.hpp).
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

/// gamma = |sigma|, sigma = MLP(theta_12) (Eq. 6), computed ahead: theta_12 of the next column is
/// known before this column is finished, but for its entry i, which is added last. A1' lies in
/// shared memory where there is room (`resident`).
template <class B>
struct StepMlp;

template <int C>
struct StepMlp<Block<C>> {
  MlpAt at;
  const double *weights, *transposed;  ///< global
  bool resident;
  int at_parts, at_b1, at_A2, at_A1;  ///< in shared memory
  int at_sigma;                       ///< of two columns; then b2

  /// Row stride of A1': pairs of units, and rows that lie two banks apart.
  __host__ __device__ static int lda(const MlpAt& at) { return (at.hidden + 1) / 4 * 4 + 2; }
  __host__ __device__ static int shared_numbers(const MlpAt& at, int threads, bool resident) {
    return (threads / 32 - C) * even(at.hidden) + 2 * even(at.hidden) + 4 +
           (resident ? even((at.in + 1) * lda(at)) : 0);
  }
  __device__ void place(const MlpAt& at_, Block<C>& b, bool resident_) {
    at = at_, resident = resident_;
    at_parts = b.at_rule;
    at_b1 = at_parts + b.helpers() * even(at.hidden);
    at_A2 = at_b1 + even(at.hidden);
    at_sigma = at_A2 + even(at.hidden);
    at_A1 = at_sigma + 4;
    b.at_rule = at_A1 + (resident ? even((at.in + 1) * lda(at)) : 0);
  }
  __device__ void begin(Block<C>& b, const double* weights_, const double* transposed_) {
    weights = weights_, transposed = transposed_;
    for (int h = b.tid; h < even(at.hidden); h += b.threads()) {
      shared_memory[at_b1 + h] = h < at.hidden ? weights[at.b1 + h] : 0.0;
      shared_memory[at_A2 + h] = h < at.hidden ? weights[at.A2 + h] : 0.0;
    }
    if (b.tid == 0) shared_memory[at_sigma + 2] = weights[at.b2];
    if (!resident) return;
    for (int k = b.tid; k < (at.in + 1) * lda(at); k += b.threads()) {
      const int c = k / lda(at), h = k % lda(at);
      shared_memory[at_A1 + k] = c < at.in && h < at.hidden ? transposed[c * at.hidden + h] : 0.0;
    }
  }
  __device__ __forceinline__ double sigma(const Block<C>&, int i) const {
    return shared_memory[at_sigma + (i & 1)];
  }
  /// sigma of the first column.
  __device__ void begin_forward(Block<C>& b, double* hidden) const {
    if (!b.vector) ahead(b, 0, -1);
    block_barrier();
    if (b.warp == 0) finish(b, 0, -1, 0.0, hidden);
    block_barrier();
  }

  /// What all entries of theta_12 of column i but `left_out` add to the hidden units; by the warps
  /// without entries.
  __device__ __forceinline__ void ahead(Block<C>& b, int i, int left_out) const {
    resident ? ahead_here(b, i, left_out) : ahead_there(b, i, left_out);
  }
  /// sigma of column i, whose entry `left_out` is u; by one warp. Keeps the hidden units.
  __device__ __forceinline__ void finish(Block<C>& b, int i, int left_out, double u,
                                         double* hidden) const {
    constexpr int kMostHelpers = Block<C>::kMostWarps - C;
    const int row = left_out < 0 ? 0 : left_out - (left_out > i), helpers = b.helpers();
    const double factor = left_out < 0 ? 0.0 : u;
    double s = 0;
    for (int h = 2 * b.lane; h < at.hidden; h += 64) {
      double2 part[kMostHelpers], t = pair(at_b1 + h), a = {0, 0};
#pragma unroll
      for (int k = 0; k < kMostHelpers; ++k)
        part[k] = k < helpers ? pair(at_parts + k * even(at.hidden) + h) : double2{0, 0};
      if (at.in > 0 && resident)
        a = pair(at_A1 + row * lda(at) + h);
      else if (at.in > 0)
        a = {transposed[row * at.hidden + h],
             transposed[row * at.hidden + min(h + 1, at.hidden - 1)]};
      t.x = fma(a.x, factor, t.x), t.y = fma(a.y, factor, t.y);
#pragma unroll
      for (int k = 0; k < kMostHelpers; ++k) t.x += part[k].x, t.y += part[k].y;
      t.x = relu(t.x), t.y = relu(t.y);
      const double2 A2 = pair(at_A2 + h);  // 0 beyond the last unit
      hidden[h] = t.x;
      if (h + 1 < at.hidden) hidden[h + 1] = t.y;
      s = fma(A2.x, t.x, fma(A2.y, t.y, s));
    }
    s = warp_sum(s) + shared_memory[at_sigma + 2];
    if (b.lane == 0) shared_memory[at_sigma + (i & 1)] = s;
  }
  /// d sigma / d theta_12 of every column, in its row of the tape; entries before the column alone
  /// with `only_columns`. By the whole block.
  __device__ __forceinline__ void slopes(Block<C>& b, const Tape& tape, bool only_columns) const {
    resident ? slopes_of(b, tape, only_columns, shared_memory + at_A1, lda(at), 1)
             : slopes_of(b, tape, only_columns, weights + at.A1, 1, at.in);
  }

  /// The weights' gradients from d_sigma of every column. By the whole block; where A1' was
  /// resident, delta = d_sigma A2 (where the unit is on) takes its place.
  template <class Put>
  __device__ void gradients(Block<C>& b, const Tape& tape, Put put) const {
    const int in = at.in, hidden = at.hidden, p = b.p;
    const auto delta = [&](int i, int h) {
      return tape.of_rule(i)[h] > 0 ? b.numbers(i)[kDSigma] * shared_memory[at_A2 + h] : 0.0;
    };
    sums_over_columns(b, tape, put);
    const auto theta = [&](int i, int c) { return tape.row(kTheta, i)[c + (c >= i)]; };
    const auto put_A1 = [&](int h, int c, double g) { put(at.A1 + h * in + c, g); };
    if (!resident) return outer_sums(b, p, hidden, in, delta, theta, put_A1);
    block_barrier();
    const int ld = lda(at), place = at_A1;
    for (int k = b.tid; k < p * hidden; k += b.threads())
      shared_memory[place + k / hidden * ld + k % hidden] = delta(k / hidden, k % hidden);
    block_barrier();
    outer_sums(
        b, p, hidden, in, [=](int i, int h) { return shared_memory[place + i * ld + h]; }, theta,
        put_A1);
  }

 private:
  /// d_b1, d_A2 and d_b2.
  template <class Put>
  __device__ void sums_over_columns(Block<C>& b, const Tape& tape, Put put) const {
    for (int h = b.tid; h < at.hidden; h += b.threads()) {
      const double A2 = shared_memory[at_A2 + h];
      double d_b1 = 0, d_A2 = 0;
#pragma unroll 8
      for (int i = 0; i < b.p; ++i) {
        const double t = tape.of_rule(i)[h], d_sigma = b.numbers(i)[kDSigma];
        d_b1 += t > 0 ? d_sigma * A2 : 0.0;
        d_A2 = fma(d_sigma, t, d_A2);
      }
      put(at.b1 + h, d_b1);
      put(at.A2 + h, d_A2);
    }
    if (b.warp != b.threads() / 32 - 1) return;
    double d_b2 = 0;
    for (int i = b.lane; i < b.p; i += 32) d_b2 += b.numbers(i)[kDSigma];
    d_b2 = warp_sum(d_b2);
    if (b.lane == 0) put(at.b2, d_b2);
  }
  /// A1' is resident: lanes are pairs of hidden units.
  __device__ __forceinline__ void ahead_here(const Block<C>& b, int i, int left_out) const {
    const int first = b.helper(), others = b.helpers(), ld = lda(at);
    const double* theta = b.T(i);
    for (int h = 2 * b.lane; h < at.hidden; h += 64) {
      double s = 0, t = 0;
#pragma unroll 4
      for (int c = first; c < at.in; c += others) {
        const int k = c + (c >= i);
        const double2 a = pair(at_A1 + c * ld + h);
        const double x = k == left_out ? 0.0 : theta[k];
        s = fma(a.x, x, s), t = fma(a.y, x, t);
      }
      pair(at_parts + first * even(at.hidden) + h) = {s, t};
    }
  }
  /// It lies in global memory: lanes are hidden units.
  __device__ __forceinline__ void ahead_there(const Block<C>& b, int i, int left_out) const {
    const int first = b.helper(), others = b.helpers();
    const double* theta = b.T(i);
    for (int h = b.lane; h < even(at.hidden); h += 32) {
      double s = 0;
#pragma unroll 8
      for (int c = first; c < at.in; c += others) {
        const int k = c + (c >= i);
        s = fma(transposed[c * at.hidden + min(h, at.hidden - 1)], k == left_out ? 0.0 : theta[k],
                s);
      }
      shared_memory[at_parts + first * even(at.hidden) + h] = s;
    }
  }
  __device__ __forceinline__ static double2& pair(int at) {
    return *reinterpret_cast<double2*>(shared_memory + at);
  }
  __device__ __forceinline__ void slopes_of(Block<C>& b, const Tape& tape, bool only_columns,
                                            const double* A, int ld, int step) const {
    for (int i = b.warp; i < b.p; i += b.threads() / 32) {
      const double* h = tape.of_rule(i);
      double* out = tape.row(kStepSlope, i);
      const int end = only_columns ? i : b.p;
      const double* a[C];
      double s[C] = {};
#pragma unroll
      for (int m = 0; m < C; ++m) {
        const int k = min(b.lane + 32 * m, b.p - 1);
        a[m] = A + max(0, min(k - (k > i), at.in - 1)) * ld;
      }
#pragma unroll 5
      for (int n = 0; n < at.hidden; ++n) {
        const double on = h[n] > 0 ? shared_memory[at_A2 + n] : 0.0;
#pragma unroll
        for (int m = 0; m < C; ++m)
          if (32 * m < end) s[m] = fma(on, a[m][n * step], s[m]);
      }
#pragma unroll
      for (int m = 0; m < C; ++m) {
        const int k = b.lane + 32 * m;
        out[k] = k < b.p && k != i ? s[m] : 0.0;
      }
    }
  }
};

}  // namespace spodnet::cuda
