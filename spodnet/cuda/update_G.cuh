#pragma once
// G while the columns are undone: each subtracts a rank-4 term (docs/backward.md). The warps that
// hold W do that one column late; the owners of entries add it themselves to the row they read.
#include "spodnet/cuda/forward.cuh"

namespace spodnet::cuda {

/// Of the column undone last: what G's update needs.
struct Undone {
  int i = -1;                                       ///< -1: none
  double y = 0, h = 0, w = 0, theta = 0, diag = 0;  ///< entry j; theta: d_theta_12 / 2
  double d_q = 0, d_q0 = 0, d_theta_22 = 0;
};

/// Publishes the terms of the update of G and returns m, entry j of W d_w.
template <class Rule, class B>
__device__ __forceinline__ double publish_terms(B& b, const Undone& done) {
  const double m = Rule::kReadsW && b.inside ? b.product() : 0.0;
  b.set_terms(done.i, {done.y, done.h, m, done.w}, b.j == done.i ? done.d_theta_22 : done.theta,
              done.diag);
  if (b.slot == 0) b.shared().coef[4] = done.d_q, b.shared().coef[5] = done.d_q0;
  return m;
}

/// G with column `i` undone: row and column i become d_theta / 2 and d_theta_22, then
/// G -= d_q y y' + d_q0 h h' + (m w' + w m') / 2. Of rows `first`, first + step, ... < end.
template <class Rule, int C>
__device__ __forceinline__ void update_G(const Block<C>& b, int i, int first, int step, int end) {
  const Shared<C>& shared = b.shared();
  const double d_q = shared.coef[4], d_q0 = shared.coef[5];
  GTerm t[C];
  int column[C];  // lanes beyond p repeat the last column: no branches
#pragma unroll
  for (int k = 0; k < C; ++k) {
    column[k] = min(b.lane + 32 * k, b.p - 1);
    t[k] = shared.term[column[k]];
    t[k].y *= d_q, t[k].h *= d_q0, t[k].m *= 0.5, t[k].w *= 0.5;
  }
  for (int r = first + step * b.lane; r < end; r += 32 * step) b.T(r)[i] = shared.t_theta[r];
  if (i < end && i % step == first)
    for (int c = b.lane; c < b.p; c += 32) b.T(i)[c] = shared.t_theta[c];
  __syncwarp();
#pragma unroll 2
  for (int r = first; r < end; r += step) {
    double *G = b.T(r), g[C];
    const GTerm at_r = shared.term[r];
#pragma unroll
    for (int k = 0; k < C; ++k) g[k] = G[column[k]];
#pragma unroll
    for (int k = 0; k < C; ++k) {
      g[k] = fma(-at_r.y, t[k].y, fma(-at_r.h, t[k].h, g[k]));
      if (Rule::kReadsW) g[k] = fma(-at_r.m, t[k].w, fma(-at_r.w, t[k].m, g[k]));
      if (Rule::kReadsDiagonal) g[k] += r == column[k] ? shared.t_diag[r] : 0.0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < C; ++k) G[column[k]] = g[k];
  }
}

/// The same for the rows of a block of a group: all of them, columns before `end`. The owner of an
/// entry reads G in its own rows (GroupBlock::G_entry).
template <class Rule>
struct GroupUpdate {
  const GroupBlock& b;
  int i, end;
  double d_q, d_q0;

  __device__ __forceinline__ void fill(int r) const {
    if (r == i)
      for (int c = b.lane; c < end; c += 32) b.T(r)[c] = b.t_theta(i, c);
    else if (b.lane == 0 && i < end)
      b.T(r)[i] = b.t_theta(i, r);
  }
  template <int R>
  __device__ __forceinline__ void run(int k) const {
    const double *y = b.full(0), *h = b.full(1), *m = b.full(2), *w = b.full(3);
    double* G = b.T(b.first + k);
    GTerm at[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int row = b.first + k + r;
      fill(row);
      at[r] = {d_q * y[row], d_q0 * h[row], 0.5 * m[row], 0.5 * w[row]};
    }
    __syncwarp();
#pragma unroll 2
    for (int c = 2 * b.lane; c < end; c += 64) {
      const double2 yc = pair(y + c), hc = pair(h + c);
      double2 g[R];
#pragma unroll
      for (int r = 0; r < R; ++r) g[r] = pair(G + long(r) * b.ld + c);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        g[r].x = fma(-at[r].y, yc.x, fma(-at[r].h, hc.x, g[r].x));
        g[r].y = fma(-at[r].y, yc.y, fma(-at[r].h, hc.y, g[r].y));
      }
      if (Rule::kReadsW) {
        const double2 mc = pair(m + c), wc = pair(w + c);
#pragma unroll
        for (int r = 0; r < R; ++r) {
          g[r].x = fma(-at[r].m, wc.x, fma(-at[r].w, mc.x, g[r].x));
          g[r].y = fma(-at[r].m, wc.y, fma(-at[r].w, mc.y, g[r].y));
        }
      }
#pragma unroll
      for (int r = 0; r < R; ++r) *reinterpret_cast<double2*>(G + long(r) * b.ld + c) = g[r];
    }
    if (!Rule::kReadsDiagonal) return;
    __syncwarp();
    const int d = b.first + k + b.lane;
    if (b.lane < R && d < end) b.T(d)[d] += b.t_diag(i, d);
  }
  __device__ __forceinline__ static double2 pair(const double* x) {
    return *reinterpret_cast<const double2*>(x);
  }
};
template <class Rule>
__device__ __forceinline__ void update_G(const GroupBlock& b, int i, int first, int step, int end) {
  constexpr int kAtOnce = 4;
  const GroupUpdate<Rule> update{b, i, end, b.shared().coef[4], b.shared().coef[5]};
  for (int k = kAtOnce * first; k < b.count; k += kAtOnce * step) {
    if (k + kAtOnce <= b.count)
      update.template run<kAtOnce>(k);
    else
      for (int r = k; r < b.count; ++r) update.template run<1>(r);
  }
}

/// The row of G that the next column reads, entries j and i, without the last column's update.
struct StaleRow {
  double at_j = 0, at_i = 0;

  template <class B>
  __device__ __forceinline__ void load(const B& b, int i) {
    at_j = b.G_entry(i);
    at_i = b.show_diagonal(i, at_j);
  }
  /// Adds that update; called by the owners of entries.
  template <class Rule, class B>
  __device__ __forceinline__ void refresh(B& b, int i, const Undone& done) {
    const double m = publish_terms<Rule>(b, done);
    b.share_terms();
    at_i = b.diagonal(i, at_i);
    const GTerm at = b.term(done.i, i);
    const double cy = done.d_q * at.y, ch = done.d_q0 * at.h;
    if (b.j == done.i) at_j = b.t_theta(done.i, i);
    at_j = fma(-cy, done.y, fma(-ch, done.h, at_j));
    at_i = fma(-cy, at.y, fma(-ch, at.h, at_i));
    if (Rule::kReadsW) at_j -= 0.5 * fma(at.m, done.w, at.w * m), at_i -= at.m * at.w;
    if (Rule::kReadsDiagonal) at_i += b.t_diag(done.i, i);
  }
};

}  // namespace spodnet::cuda
