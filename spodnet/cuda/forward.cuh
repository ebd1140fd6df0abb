#pragma once
// Algorithm 1 for one matrix, in one multiprocessor (block.cuh) or in many (group_block.cuh). Four
// barriers a column: the rank-2 update of a column is done together with the first product of the
// next one.
#include "spodnet/cuda/block.cuh"
#include "spodnet/cuda/group_block.cuh"

namespace spodnet::cuda {

/// What the owner of an entry carries from column to column.
struct Carried {
  double w = 0, y = 0;            ///< entry j of the last column's w and y
  double w_next = 0, y_next = 0;  ///< their entries at the next column
  double inv_w_22 = 0, inv_v = 0;
  double s = 0;          ///< entry j of the next column of S
  int turn = 0;          ///< which of two w's is the current column's
  bool pending = false;  ///< the last column's update is not in W yet
  bool bad = false;      ///< a quadratic form or a margin was not usable
};

/// What a column step needs of the options.
struct StepOptions {
  Scaling scaling;
  DeviceMath math;
  double v_min, sparsity;

  __device__ explicit StepOptions(const WalkShape& shape)
      : scaling(shape.scaling),
        math{shape.zeta, sqrt(shape.zeta)},
        v_min(shape.v_min),
        sparsity(shape.sparsity) {}

  // core/formulas.hpp with these options.
  __device__ __forceinline__ double scale(double q0, double theta_22) const {
    return formulas::scale(math, scaling, math.zeta, q0, theta_22);
  }
  __device__ __forceinline__ double scale_backward(double c, double q0, double d_z_z) const {
    return formulas::scale_backward(math, scaling, c, q0, d_z_z);
  }
  __device__ __forceinline__ double limit_backward(double d_q0, double q0, double theta_22) const {
    return formulas::limit_backward(math, scaling, d_q0, q0, theta_22);
  }
  __device__ __forceinline__ double soft_threshold(double z, double lambda) const {
    return formulas::soft_threshold(math, z, lambda);
  }
  __device__ __forceinline__ double margin(double v_raw, double q) const {
    return formulas::margin(math, v_raw, v_min, q);
  }
};

__device__ __forceinline__ bool usable(double q) { return q >= 0 && q < 1e300; }

/// Column i of W with the pending update, theta_12 and s_12.
template <class B>
__device__ __forceinline__ void open_column(B& b, const WalkProblem& problem, int i,
                                            Carried& carried, WalkColumn& column, Entry& e) {
  double w = b.row();
  column.w_22 = b.row_diagonal(i);
  if (carried.pending) {
    const auto step =
        formulas::schur_step(carried.w_next * carried.inv_w_22, carried.y_next * carried.inv_v);
    w = fma(carried.w, step.c_w, fma(carried.y, step.c_y, w));
    column.w_22 = fma(carried.w_next, step.c_w, fma(carried.y_next, step.c_y, column.w_22));
  }
  const double* theta = b.T(i);
  column.theta_22 = theta[i];
  column.s_22 = b.s_22(problem, i);
  const bool in = b.inside && b.j != i;
  e = {b.j, in, in ? theta[b.j] : 0.0, in ? w : 0.0, in ? carried.s : 0.0};
  carried.w = b.inside ? w : 0.0;
}

/// inv_theta_11 x from the product W x that lies in shared memory, and x' inv_theta_11 x.
template <class B>
__device__ __forceinline__ double schur_product(const B& b, int i, double w, double inv_w_22,
                                                double& quadratic) {
  const double at_i = b.product_at(i), t = at_i * inv_w_22;
  quadratic = fma(-at_i, t, b.square());
  return b.inside && b.j != i ? formulas::schur_product(DeviceMath{}, b.product(), w, -t) : 0.0;
}

/// From W u to the new diagonal entry and what the update of W needs (Alg. 1, lines 6 and 7).
template <class Rule, class B>
__device__ __forceinline__ void close_column(B& b, Rule& rule, const StepOptions& shape,
                                             const WalkProblem& problem, const Tape& tape,
                                             const WalkColumn& column, Carried& carried) {
  const int i = column.i, next = i + 1 < b.p ? i + 1 : 0;
  const double at_i = b.product_at(i), t = at_i * carried.inv_w_22;
  const double q = fma(-at_i, t, b.square());
  double y = b.inside ? formulas::schur_product(DeviceMath{}, b.product(), carried.w, -t) : 0.0;
  carried.w_next = b.w_next(carried.turn, next);
  carried.y_next = next == i ? -1.0 : fma(-carried.w_next, t, b.product_next(next));
  const double raw = rule.margin(b, problem, column, q);
  const double v = shape.margin(raw, q);
  carried.bad = carried.bad || !usable(q) || !(v > 0 && usable(v)) || raw != raw;
  carried.inv_v = reciprocal(v);
  if (b.j == i) y = -1, b.T(i)[i] = v + q;  // Eq. (2)
  carried.y = y;
  b.set_y(y);
  b.put(tape.row(kY, i), y);
  const auto step = formulas::schur_step(carried.inv_w_22, carried.inv_v);
  if (b.slot == 0) b.shared().coef[0] = step.c_w, b.shared().coef[1] = step.c_y;
  if (b.j == 0) {
    double* numbers = tape.numbers(i);
    numbers[kTheta22] = column.theta_22, numbers[kW22] = column.w_22, numbers[kS22] = column.s_22;
    numbers[kQ] = q, numbers[kV] = v, numbers[kRawV] = raw;
  }
}

/// A layer, as the owners of entries walk it. A function of its own, as the next: each has all
/// registers, and W's are no burden here.
template <class Rule, class B>
__device__ __noinline__ Carried forward_vectors(B b, Rule rule, StepOptions shape,
                                                WalkProblem problem, Tape tape, Carried carried) {
  const int p = b.p;
  const double* S = problem.S + (b.inside ? b.j : 0);
  carried.s = S[0];
  for (int i = 0; i < p; ++i) {
    WalkColumn column{i, 0, 0, 0};
    Entry e;
    open_column(b, problem, i, carried, column, e);
    b.set_w(carried.turn, carried.w);
    double z = rule.preactivation(b, problem, tape, column, e);  // f before its scaling
    b.set_x(z);
    b.share();  // the first product, with the update of the last column
    carried.inv_w_22 = reciprocal(column.w_22);
    if (i + 1 < p) carried.s = S[long(i + 1) * p];
    b.put(tape.row(kTheta, i), e.theta);
    b.put(tape.row(kW, i), carried.w);
    block_barrier();

    b.collect(i, i, z, carried.w);
    double q0;
    const double h = schur_product(b, i, carried.w, carried.inv_w_22, q0);
    const double scale = shape.scale(q0, column.theta_22);
    z *= scale;
    const double lambda = shape.sparsity * rule.threshold(b, problem, column, e, z);
    const double u = e.in ? shape.soft_threshold(z, lambda) : 0.0;
    b.set_u(u);
    carried.bad = carried.bad || !usable(q0) || (e.in && !(lambda >= 0));
    b.share();  // the second product

    b.put(tape.row(kZ, i), z);
    b.put(tape.row(kH, i), h);
    b.put(tape.row(kU, i), u);
    if (b.j == 0) tape.numbers(i)[kQ0] = q0, tape.numbers(i)[kScale] = scale;
    if (e.in) b.T(i)[b.j] = b.T(b.j)[i] = u;  // Theta_12 = u, Eq. (2)
    rule.finish_ahead(b, tape, i);
    block_barrier();

    b.collect(i, i + 1 < p ? i + 1 : 0, u, carried.w);
    close_column(b, rule, shape, problem, tape, column, carried);
    carried.pending = true;
    carried.turn ^= 1;
  }
  return carried;
}

/// The same, as the warps walk it that hold W.
template <class Rule, class B>
__device__ __noinline__ void forward_tiles(B b, typename B::Matrix& held, Rule rule, Tape tape,
                                           bool pending, int turn) {
  typename B::Matrix W = held;
#pragma unroll 1
  for (int i = 0; i < b.p; ++i) {
    if (B::kAlone) rule.look_ahead(b, tape, i);
    rule.join_preactivation(b, tape, i);
    b.receive_first(turn);
    first_product(b, W, pending, turn, i + 1 < b.p ? i + 1 : 0);
    block_barrier();
    if (!B::kAlone) rule.look_ahead(b, tape, i);  // other blocks' entries are known only now
    b.receive_second();
    second_product(b, W);
    block_barrier();
    pending = true;
    turn ^= 1;
  }
  held = W;
}

template <class Rule, class B>
__device__ __forceinline__ void forward_layer(B& b, typename B::Matrix& W, Rule& rule,
                                              const WalkShape& shape, const WalkProblem& problem,
                                              const Tape& tape, Carried& carried) {
  rule.begin_forward(b, tape);
  if (b.vector) {
    carried = forward_vectors<Rule, B>(b, rule, StepOptions(shape), problem, tape, carried);
  } else {
    forward_tiles<Rule, B>(b, W, rule, tape, carried.pending, carried.turn);
    carried.pending = true;
    carried.turn ^= b.p & 1;
  }
  b.all_barrier();
}

/// The last column's update of W, after which W = Theta^{-1}. The whole block calls it.
template <int C>
__device__ __forceinline__ void last_update(const Block<C>& b, Tile<C>& W, int turn) {
  const Shared<C>& shared = b.shared();
  if (W.mine) W.update(shared.w[turn ^ 1], shared.coef[0], shared.y, shared.coef[1]);
}
__device__ __forceinline__ void last_update(const GroupBlock& b, Rows& W, int turn) {
  if (!W.mine) return;
  b.take(1, b.shown(kShownW + (turn ^ 1)));
  b.take(2, b.shown(kShownY));
  b.wait_helpers();
  W.product<true>(b.full(1), b.shared().coef[0], b.full(2), b.shared().coef[1], b.full(1),
                  b.shared().product);
  b.wait_helpers();
}

/// The largest |w_i' Theta_i - 1| of this warp's columns: W may drift from Theta^{-1}.
template <class B>
__device__ double largest_drift(const B& b, const Tape& tape) {
  double worst = 0;
  for (int i = b.all_warp(); i < b.p; i += b.all_warps()) {
    const double *w = tape.row(kW, i), *theta = tape.row(kTheta, i), *t = tape.numbers(i);
    double s = 0;
#pragma unroll 4
    for (int k = b.lane; k < b.p; k += 32) s = fma(w[k], theta[k], s);
    worst = Largest{}(worst, fabs(fma(t[kW22], t[kTheta22], warp_sum(s)) - 1));
  }
  return worst;
}

}  // namespace spodnet::cuda
