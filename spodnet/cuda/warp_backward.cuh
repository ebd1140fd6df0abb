#pragma once
// The adjoint of Algorithm 1 for one matrix in one warp (docs/backward.md): UBG.
#include "spodnet/cuda/warp_forward.cuh"

namespace spodnet::cuda {

/// What the whole tape gives at once before the walk back; lane i does column i.
template <int P>
__device__ __forceinline__ void prepare_columns(const Warp<P>& b, const WarpWeights& k,
                                                const StepOptions& options, const double* S) {
  WarpTape<P>& tape = b.tape();
  if (b.inside()) {
    WarpNumbers& numbers = tape.numbers[b.r];
    const WarpMargin g(k, {tape.theta[b.r * b.kLd + b.r], S[b.r * b.p + b.r], numbers.q});
    double d_h1[3], d_h2[3], d_x[3], residual = 0;
    g.backward(k, sign(g.out), d_h1, d_h2, d_x);
    const bool own = numbers.own != 0;
    numbers.q_slope =
        1 + (own ? d_x[2] : formulas::floor_backward(options.math, options.v_min, numbers.q, 1.0));
    numbers.theta_slope = own ? d_x[0] : 0.0;
    for (int c = 0; c < b.p; ++c)  // h is 0 at the column's own entry
      residual = fma(tape.h[b.r * b.kLd + c], S[c * b.p + b.r] - tape.w[b.r * b.kLd + c], residual);
    numbers.residual = residual;
  }
  __syncwarp();
}

/// Sums over entries for the gradients of lambda's network: E_k = sum d_e and N_k = sum d_e z over
/// the entries where unit k is on. This lane's share.
struct WarpLambdaSums {
  double E[WarpWeights::kLambda] = {}, N[WarpWeights::kLambda] = {}, d_c2 = 0;

  __device__ __forceinline__ void add(const WarpWeights& k, double z, double d_e) {
    d_c2 += d_e;
#pragma unroll
    for (int m = 0; m < WarpWeights::kLambda; ++m) {
      const double on = fma(k.B1[m], z, k.c1[m]) > 0 ? d_e : 0.0;
      E[m] += on, N[m] = fma(on, z, N[m]);
    }
  }
};

/// G with column i undone: row and column i become d_theta / 2 and d_theta_22, then
/// G -= d_q y y' + d_q0 h h' + (m w' + w m') / 2. Columns before `end` alone.
template <int P>
__device__ __forceinline__ void update_G(const Warp<P>& b, LaneRow<P>& G, int i, const GTerm& at_r,
                                         double d_q, double d_q0, double d_theta, int end) {
  const GTerm* term = b.shared().terms();
  const double* theta = b.shared().d_theta();
  const double cy = -d_q * at_r.y, ch = -d_q0 * at_r.h, cm = -0.5 * at_r.w, cw = -0.5 * at_r.m;
  if (b.r == i)
#pragma unroll
    for (int c = 0; c < P; ++c) G.a[c] = theta[c];
  if (end > i)
#pragma unroll
    for (int c = 0; c < P; ++c) G.a[c] = c == i ? d_theta : G.a[c];
#pragma unroll
  for (int c = 0; c < P; ++c)
    if (c < end)
      G.a[c] =
          fma(cy, term[c].y, fma(ch, term[c].h, fma(cm, term[c].m, fma(cw, term[c].w, G.a[c]))));
}

/// One layer backwards; `only_columns`: W and G are not read after it.
template <int P>
__device__ __forceinline__ void backward_layer(const Warp<P>& b, LaneRow<P>& W, LaneRow<P>& G,
                                               const WarpWeights& k, const StepOptions& options,
                                               double kappa, const double* S, bool only_columns,
                                               WarpLambdaSums& sums) {
  WarpShared<P>& shared = b.shared();
  WarpTape<P>& tape = b.tape();
  const double factor = options.sparsity * kappa;
  double s_next = b.of_global(S, b.p - 1);
#pragma unroll 1
  for (int i = b.p - 1; i >= 0; --i) {
    const bool in = b.inside() && b.r != i;
    const double w = b.get(tape.w, i), y = b.get(tape.y, i), h = b.get(tape.h, i);
    const double z = b.get(tape.z, i), s = s_next, y_i = b.r == i ? -1.0 : y;
    WarpNumbers& numbers = tape.numbers[i];
    if (i > 0) s_next = b.of_global(S, i - 1);
    if (b.r < P) shared.pair[b.r] = {w, y_i};
    __syncwarp();
    const auto undo = formulas::schur_undo(w * numbers.inv_w_22, y_i * numbers.inv_v);
    W.update(shared.pair, undo.c_w, undo.c_y);  // W before the step

    const double g = G[i], d_v = b.of_lane(g, i), d_q = d_v * numbers.q_slope;
    const WarpLambda lambda(k, z);
    const bool active = in && fabs(z) - factor * fabs(lambda.e) > 0;
    const double d_u = active ? 2 * fma(d_q, y, g) : 0.0;
    const double d_e = (z > 0 ? -factor : factor) * sign(lambda.e) * d_u;
    sums.add(k, z, d_e);
    double d_z = fma(d_e, lambda.slope, d_u);
    double sum[2] = {d_z * z, in ? d_z * (s - w) : 0.0};
    warp_sum(sum);
    const double d_q0 = numbers.q0_slope * sum[0];
    d_z = fma(numbers.scale, d_z, 2 * d_q0 * h);
    const double d_gamma = -fma(numbers.scale, sum[1], 2 * d_q0 * numbers.residual);
    const double d_sigma = sign(numbers.sigma) * d_gamma;
    if (b.r == i) numbers.d_v = numbers.own * d_v, numbers.d_sigma = d_sigma;
    if (only_columns && i == 0) break;

    double d_theta = 0.5 * fma(d_sigma, warp_sigma_slope(b, i), d_z);
    if (b.r == i) {
      d_theta = d_v * numbers.theta_slope;
      if (options.scaling == Scaling::relative && numbers.q0_slope != 0)
        d_theta = fma(0.5 * sum[0], reciprocal(tape.theta[i * b.kLd + i]), d_theta);
    }
    b.put(shared.x, d_z);
    __syncwarp();
    const GTerm term{y, h, fabs(numbers.sigma) * W.product(shared.x), w};
    if (b.r < P) shared.terms()[b.r] = term, shared.d_theta()[b.r] = d_theta;
    __syncwarp();
    update_G(b, G, i, term, d_q, d_q0, d_theta, only_columns ? i : P);
  }
}

}  // namespace spodnet::cuda
