#pragma once
// Algorithm 1 for one matrix in one warp: UBG.
#include "spodnet/cuda/warp_rule.cuh"

namespace spodnet::cuda {

/// inv_theta_11 x, entry r; x in shared memory.
template <int P>
__device__ __forceinline__ double schur_product(const Warp<P>& b, const LaneRow<P>& W,
                                                const double* x, int i, double w, double inv_w_22) {
  const double product = W.product(x), t = b.of_lane(product, i) * inv_w_22;
  return b.inside() && b.r != i ? formulas::schur_product(DeviceMath{}, product, w, -t) : 0.0;
}

/// One layer. Theta lies in the tape; its new lower triangle is WarpShared::theta. `bad` is set
/// where a quadratic form, a threshold or a margin was not usable.
template <int P>
__device__ __forceinline__ void forward_layer(const Warp<P>& b, LaneRow<P>& W, const WarpWeights& k,
                                              const StepOptions& options, double kappa,
                                              const double* S, bool& bad) {
  WarpShared<P>& shared = b.shared();
  WarpTape<P>& tape = b.tape();
  double s_next = b.of_global(S, 0);
#pragma unroll 1
  for (int i = 0; i < b.p; ++i) {
    const bool in = b.inside() && b.r != i;
    const double s = s_next, w = W[i], w_22 = b.of_lane(w, i), s_22 = b.of_lane(s, i);
    const double inv_w_22 = reciprocal(w_22), theta_22 = tape.theta[i * b.kLd + i];
    s_next = b.of_global(S, i + 1);
    const double sigma = warp_sigma(b, k, i);
    const double theta = b.get(tape.theta, i);
    double z = in ? fma(-fabs(sigma), s - w, theta) : 0.0;  // Eq. (6)
    b.put(shared.x, z);
    __syncwarp();

    const double h = schur_product(b, W, shared.x, i, w, inv_w_22);
    const double q0 = warp_sum(z * h), scale = options.scale(q0, theta_22);
    z *= scale;
    const double lambda = options.sparsity * kappa * fabs(WarpLambda(k, z).e);
    const double u = in ? options.soft_threshold(z, lambda) : 0.0;  // Eq. (7)
    bad = bad || !usable(q0) || (in && !(lambda >= 0));
    b.put(shared.u, u);
    if (in && b.r > i) tape.theta[b.r * b.kLd + i] = u;  // Theta_12 = u, Eq. (2)
    if (in && b.r < i) shared.theta(i, b.r) = u;
    __syncwarp();

    const double y = schur_product(b, W, shared.u, i, w, inv_w_22);
    const double q = warp_sum(u * y);
    const double raw = fabs(WarpMargin(k, {theta_22, s_22, q}).out);
    const double v = options.margin(raw, q);
    bad = bad || !usable(q) || !(v > 0 && usable(v)) || raw != raw;
    const double inv_v = reciprocal(v), y_i = b.r == i ? -1.0 : y;
    if (b.r < P) shared.pair[b.r] = {w, y_i};
    if (b.r == i) {
      shared.theta(i, i) = v + q;  // Eq. (2)
      WarpNumbers& numbers = tape.numbers[i];
      numbers.inv_w_22 = inv_w_22, numbers.inv_v = inv_v, numbers.scale = scale;
      numbers.sigma = sigma, numbers.q = q;
      numbers.q0_slope = options.scale_backward(scale, q0, 1.0);  // of d_z^' z^
      numbers.own = v == raw ? 1.0 : 0.0;
    }
    b.put(tape.w, i, w), b.put(tape.y, i, y), b.put(tape.h, i, h), b.put(tape.z, i, z);
    __syncwarp();
    const auto step = formulas::schur_step(w * inv_w_22, y_i * inv_v);
    W.update(shared.pair, step.c_w, step.c_y);  // Eq. (3)
  }
}

/// The largest |w_i' Theta_i - 1| of a layer: W may drift from Theta^{-1}. Lane i takes column i.
template <int P>
__device__ __forceinline__ double largest_drift(const Warp<P>& b) {
  const WarpTape<P>& tape = b.tape();
  const int i = min(b.r, P - 1);
  double drift = -1;
  for (int c = 0; c < b.p; ++c)
    drift = fma(tape.w[i * b.kLd + c], tape.theta[i * b.kLd + c], drift);
  double worst[1] = {b.inside() ? fabs(drift) : 0.0};
  warp_sum(worst, Largest{});
  return worst[0];
}

}  // namespace spodnet::cuda
