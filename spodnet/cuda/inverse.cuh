#pragma once
// The ends of a walk: Theta = W_in^{-1} before it, W = Theta^{-1} again after it.
#include "spodnet/cuda/block.cuh"
#include "spodnet/cuda/group_block.cuh"

namespace spodnet::cuda {

/// Inverts a positive definite matrix, up to its sign: all p pivots, called by all threads. Returns
/// whether every pivot was positive and finite.
template <int C>
__device__ __noinline__ bool invert(const Block<C>& b, Tile<C>& held) {
  Tile<C> A = held;
  bool good = true;
#pragma unroll 1
  for (int i = 0; i < b.p; ++i) {
    double* r = b.shared().row + (i & 1) * Block<C>::kLength;
    A.get_row(i, r);
    block_barrier();
    good = good && r[i] > 0 && r[i] < 1e300;
    if (A.mine) A.pivot(i, r);
  }
  block_barrier();
  held = A;
  return good;
}
__device__ __noinline__ inline bool invert(const GroupBlock& b, const Rows& A) {
  bool good = true;
  for (int i = 0; i < b.p; ++i) {
    double* row = b.shown(i & 1);
    if (A.mine) A.show_row(i, row);
    b.all_barrier();
    good = good && row[i] > 0 && row[i] < 1e300;
    if (!A.mine) continue;
    b.take(0, row);
    b.wait_helpers();
    A.pivot(i, b.full(0));
    b.wait_helpers();
  }
  b.all_barrier();
  return good;
}

/// Calls f(row, column) for all entries of the matrix, in rows of this block's.
template <int C, class F>
__device__ void for_entries(const Block<C>& b, F f) {
  for (int r = b.warp; r < b.p; r += b.threads() / 32)
    for (int c = b.lane; c < b.p; c += 32) f(r, c);
}
template <class F>
__device__ void for_entries(const GroupBlock& b, F f) {
  for (int k = b.warp; k < b.count; k += b.threads() / 32)
    for (int c = b.lane; c < b.p; c += 32) f(b.first + k, c);
}

/// W = S + a I, or as it is given (a learned start), and Theta = W^{-1} in the block's T; false:
/// not positive definite.
template <bool kLearned, class B>
__device__ bool start(B& b, typename B::Matrix& W, const WalkProblem& problem, double* input) {
  const int p = b.p;
  const auto entry = [&](int r, int c) {
    if constexpr (kLearned) return problem.start[long(r) * p + c];
    return problem.S[long(r) * p + c] + (r == c ? problem.offset : 0.0);
  };
  b.clear_parts();
  b.set_diag_S(problem);
  W.set(p, entry);
  bool good = true;
  if (problem.input) {
    for_entries(b, [&](int r, int c) { b.T(r)[c] = problem.input[long(r) * p + c]; });
  } else {
    good = invert(b, W);
    W.get_lower(p, [&](int r, int c, double x) {
      b.T(r)[c] = b.T(c)[r] = -x;
      if (input) input[long(r) * p + c] = input[long(c) * p + r] = -x;
    });
    W.set(p, entry);
  }
  b.begin_rows(W);
  b.all_barrier();
  return good;
}

/// This thread's share of ||Theta A + I||_F^2, A a negative inverse.
template <int C>
__device__ double residual_of(const Block<C>& b, const Tile<C>& A) {
  double residual = 0;
  for (int i = 0; i < b.p; ++i) {
    if (b.vector) b.set_x(b.inside ? b.T(i)[b.j] : 0.0);
    block_barrier();
    if (A.mine) A.product(b.shared().x, b.shared().parts[0]);
    block_barrier();
    if (b.vector && b.inside) {
      const double d = b.product() + (b.j == i);
      residual = fma(d, d, residual);
    }
  }
  return residual;
}
__device__ inline double residual_of(const GroupBlock& b, const Rows& A) {
  double residual = 0;
  for (int i = 0; i < b.p; ++i) {
    if (A.mine) {
      b.take(0, b.T(i));
      b.wait_helpers();
      A.product<false>(nullptr, 0, nullptr, 0, b.full(0), b.shared().product);
    }
    block_barrier();
    if (b.inside) {
      const double d = b.product() + (b.j == i);
      residual = fma(d, d, residual);
    }
    block_barrier();
  }
  return residual;
}

/// W = Theta^{-1} again, and this thread's share of ||Theta W - I||_F^2.
template <class B>
__device__ bool certify(B& b, typename B::Matrix& W, const WalkProblem& problem, double& residual) {
  const int p = b.p;
  W.set(p, [&](int r, int c) { return b.T(r)[c]; });
  const bool good = invert(b, W);
  W.get_lower(p, [&](int r, int c, double x) {
    problem.W[long(r) * p + c] = problem.W[long(c) * p + r] = -x;
  });
  residual = residual_of(b, W);
  block_barrier();
  return good;
}

}  // namespace spodnet::cuda
