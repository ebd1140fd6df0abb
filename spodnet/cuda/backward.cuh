#pragma once
// The adjoint of Algorithm 1 for one matrix in one multiprocessor (docs/backward.md). Two barriers
// a column; G is updated one column late, by the warps that hold W, while the owners of entries go
// on: what the late update will change in the row they read, they add themselves.
#include "spodnet/cuda/forward.cuh"

namespace spodnet::cuda {

constexpr int kTermsReady = 2;  ///< barrier: the terms of G's update lie in shared memory

/// One entry of a column's tape.
struct TapeEntry {
  double theta = 0, w = 0, z = 0, h = 0, u = 0, y = 0, slope = 0, s = 0;

  template <int C>
  __device__ __forceinline__ void load(const Block<C>& b, const Tape& tape, const Problem& problem,
                                       int i) {
    theta = tape.row(kTheta, i)[b.j];
    w = tape.row(kW, i)[b.j];
    z = tape.row(kZ, i)[b.j];
    h = tape.row(kH, i)[b.j];
    u = tape.row(kU, i)[b.j];
    y = tape.row(kY, i)[b.j];
    slope = tape.row(kStepSlope, i)[b.j];
    s = b.inside && b.j != i ? problem.S[long(i) * b.p + b.j] : 0.0;
  }
};

/// Of the column undone last: what G's update needs.
struct Undone {
  int i = -1;                                       ///< -1: none
  double y = 0, h = 0, w = 0, theta = 0, diag = 0;  ///< entry j; theta: d_theta_12 / 2
  double d_q = 0, d_q0 = 0, d_theta_22 = 0;
};

/// Publishes the terms of the update of G and returns m, entry j of W d_w.
template <class Rule, int C>
__device__ __forceinline__ double publish_terms(Block<C>& b, const Undone& done) {
  Shared<C>& shared = b.shared();
  const double m = Rule::kReadsW && b.inside ? b.product(b.j) : 0.0;
  shared.term[b.j] = {done.y, done.h, m, done.w};
  shared.t_theta[b.j] = b.j == done.i ? done.d_theta_22 : done.theta;
  if (Rule::kReadsDiagonal) shared.t_diag[b.j] = done.diag;
  if (b.j == 0) shared.coef[4] = done.d_q, shared.coef[5] = done.d_q0;
  return m;
}

/// G with column `i` undone: row and column i become d_theta / 2 and d_theta_22, then
/// G -= d_q y y' + d_q0 h h' + (m w' + w m') / 2. Of rows `first`, first + step, ... < end.
template <class Rule, int C>
__device__ __forceinline__ void update_G(Block<C>& b, int i, int first, int step, int end) {
  const Shared<C>& shared = b.shared();
  const double d_q = shared.coef[4], d_q0 = shared.coef[5];
  GTerm t[C];
#pragma unroll
  for (int k = 0; k < C; ++k) {
    t[k] = shared.term[b.lane + 32 * k];
    t[k].y *= d_q, t[k].h *= d_q0, t[k].m *= 0.5, t[k].w *= 0.5;
  }
  for (int r = first + step * b.lane; r < end; r += 32 * step) b.T(r)[i] = shared.t_theta[r];
  if (i < end && i % step == first)
    for (int c = b.lane; c < b.p; c += 32) b.T(i)[c] = shared.t_theta[c];
  __syncwarp();
#pragma unroll 2
  for (int r = first; r < end; r += step) {
    double* G = b.T(r) + b.lane;
    const GTerm at_r = shared.term[r];
#pragma unroll
    for (int k = 0; k < C; ++k) {
      const bool in = b.lane + 32 * k < b.p;
      double g = in ? G[32 * k] : 0.0;
      g = fma(-at_r.y, t[k].y, fma(-at_r.h, t[k].h, g));
      if (Rule::kReadsW) g = fma(-at_r.m, t[k].w, fma(-at_r.w, t[k].m, g));
      if (Rule::kReadsDiagonal && r == b.lane + 32 * k) g += shared.t_diag[r];
      if (in) G[32 * k] = g;
    }
  }
}

/// The row of G that the next column reads, entries j and i, without the last column's update.
struct StaleRow {
  double at_j = 0, at_i = 0;

  template <int C>
  __device__ __forceinline__ void load(const Block<C>& b, int i) {
    at_j = b.inside ? b.T(i)[b.j] : 0.0;
    at_i = b.T(i)[i];
  }
  /// Adds that update; called by the owners of entries.
  template <class Rule, int C>
  __device__ __forceinline__ void refresh(Block<C>& b, int i, const Undone& done) {
    const Shared<C>& shared = b.shared();
    const double m = publish_terms<Rule>(b, done);
    b.wait_vectors();
    arrive_barrier(kTermsReady, b.threads());
    const GTerm at = shared.term[i];
    const double cy = done.d_q * at.y, ch = done.d_q0 * at.h;
    if (b.j == done.i) at_j = shared.t_theta[i];
    at_j = fma(-cy, done.y, fma(-ch, done.h, at_j));
    at_i = fma(-cy, at.y, fma(-ch, at.h, at_i));
    if (Rule::kReadsW) at_j -= 0.5 * fma(at.m, done.w, at.w * m), at_i -= at.m * at.w;
    if (Rule::kReadsDiagonal) at_i += shared.t_diag[i];
  }
};

/// The adjoint of one column step down to d_z of the unscaled z (docs/backward.md); by the owners.
struct StepAdjoint {
  double d_z = 0, d_q = 0, d_q0 = 0;

  template <class Rule, int C>
  __device__ __forceinline__ void run(Block<C>& b, Rule& rule, const StepOptions& shape,
                                      const Problem& problem, const Tape& tape,
                                      const Column& column, const Entry& e, const TapeEntry& t,
                                      const StaleRow& g, EntryAdjoint& d_entry,
                                      ColumnAdjoint& d_column) {
    double* numbers = b.numbers(column.i);
    const bool own = numbers[kV] == numbers[kRawV];  // no floor
    d_q = g.at_i;                                    // theta_22^+ = v + q, Eq. (2)
    if (own)
      d_q += rule.margin_backward(b, problem, tape, column, numbers[kQ], g.at_i, d_column);
    else {
      rule.skip_margin_backward(b, tape, column.i);
      if (numbers[kQ] > 1) d_q += shape.v_min * g.at_i;
    }
    const bool active = e.in && t.u != 0;
    const double d_u = active ? 2 * fma(d_q, t.y, g.at_j) : 0.0;
    const double d_lambda = shape.sparsity * (t.u > 0 ? -d_u : d_u);
    d_z = d_u +
          rule.threshold_backward(b, problem, tape, column, e, t.z, d_lambda, d_entry, d_column);
    if (!e.in) d_z = 0;
    const double scale = numbers[kScale], q0 = numbers[kQ0];
    const bool depends = scale != 0 && (shape.scaling == 0 || (shape.scaling != 2 && scale != 1));
    if constexpr (Rule::kNeedsResidualSums) {
      double s[3] = {d_z * t.z, d_z * (e.s - e.w), t.h * (e.s - e.w)};
      b.sum(s);
      d_q0 = depends ? -0.5 * s[0] * reciprocal(q0) : 0.0;
      rule.residual_sum(fma(scale, s[1], 2 * d_q0 * s[2]));
    } else {
      double s[1] = {d_z * t.z};
      b.sum(s);
      d_q0 = depends ? -0.5 * s[0] * reciprocal(q0) : 0.0;
    }
    if (scale != 1) d_z = fma(scale, d_z, 2 * d_q0 * t.h);
    if (shape.scaling == 3) d_column.theta_22 -= d_q0 * q0 * reciprocal(column.theta_22);
    if (b.j == 0) numbers[kDV] = own ? g.at_i : 0.0;
  }
};

/// A layer backwards, as the owners of entries walk it.
template <class Rule, int C>
__device__ __noinline__ void backward_vectors(Block<C> b, Rule rule, StepOptions shape,
                                              Problem problem, Tape tape, bool only_columns) {
  Shared<C>& shared = b.shared();
  const int p = b.p;
  Undone done;
  TapeEntry next;
  StaleRow row;
  next.load(b, tape, problem, p - 1);
  row.load(b, p - 1);
  for (int i = p - 1; i >= 0; --i) {
    const double* numbers = b.numbers(i);
    const Column column{i, numbers[kTheta22], numbers[kW22], numbers[kS22]};
    const TapeEntry t = next;
    Entry e{b.j, b.inside && b.j != i, t.theta, 0, t.s};
    e.w = e.in ? t.w : 0.0;
    EntryAdjoint d_entry;
    ColumnAdjoint d_column;
    StepAdjoint step;
    if (done.i >= 0) row.refresh<Rule>(b, i, done);
    if (i > 0) next.load(b, tape, problem, i - 1);
    step.run(b, rule, shape, problem, tape, column, e, t, row, d_entry, d_column);
    rule.preactivation_backward(b, problem, tape, column, e, t, step.d_z, d_entry, d_column);
    if (only_columns && i == 0) return;  // nobody reads W or G again
    done = {i,
            b.j == i ? 0.0 : t.y,
            t.h,
            t.w,
            e.in ? 0.5 * d_entry.theta : 0.0,
            d_entry.diag,
            step.d_q,
            step.d_q0,
            d_column.theta_22};
    shared.x[b.j] = b.j == i ? d_column.w_22 : e.in ? d_entry.w : 0.0;
    shared.w[0][b.j] = t.w, shared.y[b.j] = t.y;
    block_barrier();  // W before the step, and its product with d_w
    if (i > 0) row.load(b, i - 1);
    block_barrier();
  }
  publish_terms<Rule>(b, done);
}

/// The same, as the warps walk it that hold W.
template <class Rule, int C>
__device__ __noinline__ void backward_tiles(Block<C> b, Tile<C>& held, Rule rule, Tape tape,
                                            bool last_layer, bool only_columns) {
  Shared<C>& shared = b.shared();
  Tile<C> W = held;
  const int p = b.p, others = b.threads() / 32 - C;
#pragma unroll 1
  for (int i = p - 1; i >= 0; --i) {
    if (i + 1 < p) {
      wait_barrier(kTermsReady, b.threads());
      update_G<Rule>(b, i + 1, b.warp - C, others, only_columns ? i + 1 : p);
    }
    rule.join_preactivation_backward(b, tape, i);
    if (only_columns && i == 0) return;
    block_barrier();
    if (Rule::kReadsW && W.mine) {
      const double* numbers = b.numbers(i);
      if (!(last_layer && i == p - 1))  // the walk's last update was never applied
        W.update(shared.w[0], reciprocal(numbers[kW22]), shared.y, -reciprocal(numbers[kV]));
      W.product(shared.x, shared.parts[0]);
    }
    block_barrier();
  }
  held = W;
}

/// The last update of G, where it is read again, and the gradients of the weights.
template <class Rule, int C>
__device__ __noinline__ void finish_layer(Block<C> b, Rule rule, Tape tape, bool only_columns) {
  if (!only_columns) update_G<Rule>(b, 0, b.warp, b.threads() / 32, b.p);
  block_barrier();
  rule.weight_gradients(b, tape);
  block_barrier();
}

template <class Rule, int C>
__device__ __forceinline__ void backward_layer(Block<C>& b, Tile<C>& W, Rule& rule,
                                               const WalkShape& shape, const Problem& problem,
                                               const Tape& tape, bool last_layer,
                                               bool only_columns) {
  for (int k = b.tid; k < b.p * kTapeNumbers; k += b.threads())
    b.numbers(0)[k] = tape.numbers(0)[k];
  rule.begin_backward(b, tape, only_columns);
  block_barrier();
  if (b.vector)
    backward_vectors<Rule, C>(b, rule, StepOptions(shape), problem, tape, only_columns);
  else
    backward_tiles<Rule, C>(b, W, rule, tape, last_layer, only_columns);
  block_barrier();
  finish_layer<Rule, C>(b, rule, tape, only_columns);
}

/// This thread's share of -<G, A^2> for a symmetric A (global, p x p): the gradient of the offset.
template <int C>
__device__ double offset_gradient(Block<C>& b, const double* A) {
  const int p = b.p;
  double total = 0;
  for (int k = b.warp; k < p; k += b.threads() / 32) {  // <G, A^2> = sum_k a_k' G a_k
    const double* a = A + long(k) * p;
    double s[C] = {};
#pragma unroll 4
    for (int r = 0; r < p; ++r) {
      const double ar = a[r];
#pragma unroll
      for (int m = 0; m < C; ++m)
        if (b.lane + 32 * m < p) s[m] = fma(ar, b.T(r)[b.lane + 32 * m], s[m]);
    }
#pragma unroll
    for (int m = 0; m < C; ++m)
      if (b.lane + 32 * m < p) total = fma(-s[m], a[b.lane + 32 * m], total);
  }
  return total;
}

}  // namespace spodnet::cuda
