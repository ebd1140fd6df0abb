#pragma once
// The adjoint of Algorithm 1 for one matrix (docs/backward.md). Two barriers a column; G is updated
// one column late, by the warps that hold W, while the owners of entries go on: what the late
// update will change in the row they read, they add themselves.
#include "spodnet/cuda/update_G.cuh"

namespace spodnet::cuda {

/// One entry of a column's tape.
struct TapeEntry {
  double theta = 0, w = 0, z = 0, h = 0, u = 0, y = 0, slope = 0, s = 0;

  /// Begins to copy them to shared memory, where this thread takes them later: registers would be
  /// waited for too early.
  template <class B>
  __device__ __forceinline__ static void fetch(const B& b, const Tape& tape,
                                               const WalkProblem& problem, int i) {
    constexpr TapeRow kRows[kCopied] = {kTheta, kW, kZ, kH, kU, kY, kStepSlope};
    if (b.inside) {
#pragma unroll
      for (int k = 0; k < kCopied; ++k) copy_ahead(place(b, k), tape.row(kRows[k], i) + b.j);
      copy_ahead(place(b, kCopied), problem.S + long(i) * b.p + b.j);
    }
    end_copy_ahead();
  }
  template <class B>
  __device__ __forceinline__ void take(const B& b, int i) {
    wait_copy_ahead();
    if (!b.inside) return;
    theta = *place(b, 0), w = *place(b, 1), z = *place(b, 2), h = *place(b, 3);
    u = *place(b, 4), y = *place(b, 5), slope = *place(b, 6);
    s = b.j != i ? *place(b, 7) : 0.0;
  }

 private:
  static constexpr int kCopied = 7;
  template <class B>
  __device__ __forceinline__ static double* place(const B& b, int k) {
    return &b.shared().fetched[k][b.slot];
  }
};

/// The adjoint of one column step down to d_z of the unscaled z (docs/backward.md); by the owners.
struct StepAdjoint {
  double d_z = 0, d_q = 0, d_q0 = 0;

  template <class Rule, class B>
  __device__ __forceinline__ void run(B& b, Rule& rule, const StepOptions& shape,
                                      const WalkProblem& problem, const Tape& tape,
                                      const WalkColumn& column, const Entry& e, const TapeEntry& t,
                                      const StaleRow& g, EntryAdjoint& d_entry,
                                      WalkColumnAdjoint& d_column) {
    double* numbers = b.numbers(column.i);
    const bool own = numbers[kV] == numbers[kRawV];  // no floor
    d_q = g.at_i;                                    // theta_22^+ = v + q, Eq. (2)
    if (own)
      d_q += rule.margin_backward(b, problem, tape, column, numbers[kQ], g.at_i, d_column);
    else {
      rule.skip_margin_backward(b, tape, column.i);
      d_q += formulas::floor_backward(shape.math, shape.v_min, numbers[kQ], g.at_i);
    }
    const bool active = e.in && t.u != 0;
    const double d_u = active ? 2 * fma(d_q, t.y, g.at_j) : 0.0;
    const double d_lambda =
        shape.sparsity * formulas::soft_threshold_backward(shape.math, d_u, t.u);
    d_z = d_u +
          rule.threshold_backward(b, problem, tape, column, e, t.z, d_lambda, d_entry, d_column);
    if (!e.in) d_z = 0;
    const double scale = numbers[kScale], q0 = numbers[kQ0];
    if constexpr (Rule::kNeedsResidualSums) {
      double s[3] = {d_z * t.z, d_z * (e.s - e.w), t.h * (e.s - e.w)};
      b.sum(s);
      d_q0 = shape.scale_backward(scale, q0, s[0]);
      rule.residual_sum(fma(scale, s[1], 2 * d_q0 * s[2]));
    } else {
      double s[1] = {d_z * t.z};
      b.sum(s);
      d_q0 = shape.scale_backward(scale, q0, s[0]);
    }
    if (scale != 1) d_z = fma(scale, d_z, 2 * d_q0 * t.h);
    d_column.theta_22 += shape.limit_backward(d_q0, q0, column.theta_22);
    if (b.j == 0) numbers[kDV] = own ? g.at_i : 0.0;
  }
};

/// A layer backwards, as the owners of entries walk it.
template <class Rule, class B>
__device__ __noinline__ void backward_vectors(B b, Rule rule, StepOptions shape,
                                              WalkProblem problem, Tape tape, bool only_columns) {
  const int p = b.p;
  Undone done;
  StaleRow row;
  TapeEntry::fetch(b, tape, problem, p - 1);
  row = {b.G_entry(p - 1), b.T(p - 1)[p - 1]};
  for (int i = p - 1; i >= 0; --i) {
    const double* numbers = b.numbers(i);
    const WalkColumn column{i, numbers[kTheta22], numbers[kW22], numbers[kS22]};
    TapeEntry t;
    t.take(b, i);
    Entry e{b.j, b.inside && b.j != i, t.theta, 0, t.s};
    e.w = e.in ? t.w : 0.0;
    EntryAdjoint d_entry;
    WalkColumnAdjoint d_column;
    StepAdjoint step;
    if (done.i >= 0) row.refresh<Rule>(b, i, done);
    if (i > 0) TapeEntry::fetch(b, tape, problem, i - 1);
    step.run(b, rule, shape, problem, tape, column, e, t, row, d_entry, d_column);
    rule.preactivation_backward(b, problem, tape, column, e, t, step.d_z, d_entry, d_column);
    if (only_columns && i == 0) return;  // W and G are not read again
    done = {i,
            b.j == i ? 0.0 : t.y,
            t.h,
            t.w,
            e.in ? 0.5 * d_entry.theta : 0.0,
            d_entry.diag,
            step.d_q,
            step.d_q0,
            d_column.theta_22};
    b.set_x(b.j == i ? d_column.w_22 : e.in ? d_entry.w : 0.0);
    b.set_w(0, t.w), b.set_y(t.y);
    b.share();  // W before the step, and its product with d_w
    if (i > 0) row.load(b, i - 1);
    block_barrier();
  }
  publish_terms<Rule>(b, done);
}

/// The same, as the warps walk it that hold W.
template <class Rule, class B>
__device__ __noinline__ void backward_tiles(B b, typename B::Matrix& held, Rule rule, Tape tape,
                                            bool only_columns) {
  typename B::Matrix W = held;
  const int p = b.p;
#pragma unroll 1
  for (int i = p - 1; i >= 0; --i) {
    if (i + 1 < p) {
      b.receive_terms(i + 1);
      update_G<Rule>(b, i + 1, b.helper(), b.helpers(), only_columns ? i + 1 : p);
    }
    rule.join_preactivation_backward(b, tape, i);
    if (only_columns && i == 0) return;
    b.receive_first(1);
    if (Rule::kReadsW) {
      const double* numbers = b.numbers(i);
      const auto undo = formulas::schur_undo(reciprocal(numbers[kW22]), reciprocal(numbers[kV]));
      undo_and_product(b, W, undo.c_w, undo.c_y);
    }
    block_barrier();
  }
  held = W;
}

/// The last update of G, where it is read again, and the gradients of the weights.
template <class Rule, class B>
__device__ __noinline__ void finish_layer(B b, Rule rule, Tape tape, bool only_columns) {
  if (!only_columns) {
    b.receive_last_terms(0);
    update_G<Rule>(b, 0, b.warp, b.threads() / 32, b.p);
  }
  b.all_barrier();
  rule.weight_gradients(b, tape);
  b.all_barrier();
}

template <class Rule, class B>
__device__ __forceinline__ void backward_layer(B& b, typename B::Matrix& W, Rule& rule,
                                               const WalkShape& shape, const WalkProblem& problem,
                                               const Tape& tape, bool only_columns) {
  b.take_numbers(tape);
  rule.begin_backward(b, tape, only_columns);
  b.all_barrier();
  if (b.vector)
    backward_vectors<Rule, B>(b, rule, StepOptions(shape), problem, tape, only_columns);
  else
    backward_tiles<Rule, B>(b, W, rule, tape, only_columns);
  b.all_barrier();
  finish_layer<Rule, B>(b, rule, tape, only_columns);
}

/// This thread's share of -<G, A^2> for a symmetric A (global, p x p): the gradient of the offset.
template <class B>
__device__ double offset_gradient(const B& b, const double* A) {
  constexpr int kAtOnce = 4;  // columns of 32
  const int p = b.p;
  double total = 0;
  for (int k = b.all_warp(); k < p; k += b.all_warps()) {  // <G, A^2> = sum_k a_k' G a_k
    const double* a = A + long(k) * p;
    for (int first = b.lane; first < p; first += 32 * kAtOnce) {
      double s[kAtOnce] = {};
#pragma unroll 4
      for (int r = 0; r < p; ++r) {
        const double ar = a[r];
#pragma unroll
        for (int m = 0; m < kAtOnce; ++m)
          if (first + 32 * m < p) s[m] = fma(ar, b.T(r)[first + 32 * m], s[m]);
      }
#pragma unroll
      for (int m = 0; m < kAtOnce; ++m)
        if (first + 32 * m < p) total = fma(-s[m], a[first + 32 * m], total);
    }
  }
  return total;
}

}  // namespace spodnet::cuda
