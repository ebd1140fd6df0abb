#pragma once
// Gradients of a layer's weights where one warp walks a matrix: after the walk back, from what it
// left in the tape and in each column's lane.
#include "spodnet/cuda/layer_weights.cuh"
#include "spodnet/cuda/warp_backward.cuh"

namespace spodnet::cuda {

/// lambda: B1, c1, B2 and c2.
template <class Put>
__device__ __forceinline__ void lambda_gradients(int lane, const RuleAt& at, const WarpWeights& k,
                                                 const WarpLambdaSums& sums, Put put) {
  constexpr int kUnits = WarpWeights::kLambda;
  double all[2 * kUnits + 1];
#pragma unroll
  for (int m = 0; m < kUnits; ++m) all[m] = sums.E[m], all[kUnits + m] = sums.N[m];
  all[2 * kUnits] = sums.d_c2;
  warp_sum(all);
  if (lane != 0) return;
#pragma unroll
  for (int m = 0; m < kUnits; ++m) {
    const double E = all[m], N = all[kUnits + m];
    put(at.B1 + m, k.B2[m] * N);
    put(at.c1 + m, k.B2[m] * E);
    put(at.B2 + m, fma(k.B1[m], N, k.c1[m] * E));
  }
  put(at.c2, all[2 * kUnits]);
}

/// g: lane i writes what column i adds to each of its 28 weights, then lane k sums weight k.
template <int P, class Put>
__device__ __forceinline__ void margin_gradients(const Warp<P>& b, const RuleAt& at,
                                                 const WarpWeights& k, const double* S, Put put) {
  constexpr int kA0 = 0, kB0 = 9, kA1 = 12, kB1 = 21, kA2 = 24, kB2 = 27, kCount = 28;
  static_assert(kCount * WarpTape<P>::kLd <= 4 * P * WarpTape<P>::kLd);
  double* each = b.tape().w;  // the tape's vectors are no longer needed: w, y, h, z
  const auto keep = [&](int weight, double value) { each[weight * b.kLd + b.r] = value; };
  if (b.inside()) {
    const double x[3] = {b.tape().theta[b.r * b.kLd + b.r], S[b.r * b.p + b.r],
                         b.tape().numbers[b.r].q};
    const WarpMargin g(k, x);
    const double d_out = sign(g.out) * b.tape().numbers[b.r].d_v;
    double d_h1[3], d_h2[3], d_x[3];
    g.backward(k, d_out, d_h1, d_h2, d_x);
#pragma unroll
    for (int m = 0; m < 3; ++m) {
#pragma unroll
      for (int n = 0; n < 3; ++n)
        keep(kA0 + 3 * m + n, d_h1[m] * x[n]), keep(kA1 + 3 * m + n, d_h2[m] * g.h1[n]);
      keep(kB0 + m, d_h1[m]), keep(kB1 + m, d_h2[m]), keep(kA2 + m, d_out * g.h2[m]);
    }
    keep(kB2, d_out);
  }
  __syncwarp();
  if (b.r < kCount) {
    double sum = 0;
    for (int i = 0; i < b.p; ++i) sum += each[b.r * b.kLd + i];
    const int place = b.r < kB0   ? at.g_A[0] + b.r
                      : b.r < kA1 ? at.g_b[0] + b.r - kB0
                      : b.r < kB1 ? at.g_A[1] + b.r - kA1
                      : b.r < kA2 ? at.g_b[1] + b.r - kB1
                      : b.r < kB2 ? at.g_A[2] + b.r - kA2
                                  : at.g_b[2];
    put(place, sum);
  }
  __syncwarp();
}

/// gamma: b1 and A2 by unit, then A1 by input; delta = d_sigma A2 (where the unit is on) takes the
/// place of the hidden units.
template <int P, class Put>
__device__ __forceinline__ void step_gradients(const Warp<P>& b, const MlpAt& at, Put put) {
  constexpr int kHidden = WarpTape<P>::kHidden, kUnitLd = WarpTape<P>::kUnitLd;
  WarpTape<P>& tape = b.tape();
  const double d_b2 = warp_sum(b.inside() ? tape.numbers[b.r].d_sigma : 0.0);
  if (b.r == 0) put(at.b2, d_b2);
  if (b.r < at.hidden) {
    const double A2 = b.step().A2[b.r];
    double d_b1 = 0, d_A2 = 0;
    for (int i = 0; i < b.p; ++i) {
      double& hidden = tape.hidden[i * kUnitLd + b.r];
      const double d = tape.numbers[i].d_sigma, delta = hidden > 0 ? d * A2 : 0.0;
      d_A2 = fma(d, hidden, d_A2);
      d_b1 += delta;
      hidden = delta;
    }
    put(at.b1 + b.r, d_b1), put(at.A2 + b.r, d_A2);
  }
  __syncwarp();
  if (b.r < at.in) {
    double d_A1[kHidden] = {};
    for (int i = 0; i < b.p; ++i) {
      const double theta = tape.theta[i * b.kLd + b.r + (b.r >= i)];
#pragma unroll
      for (int m = 0; m < kHidden; ++m) d_A1[m] = fma(tape.hidden[i * kUnitLd + m], theta, d_A1[m]);
    }
#pragma unroll
    for (int m = 0; m < kHidden; ++m)
      if (m < at.hidden) put(at.A1 + m * at.in + b.r, d_A1[m]);
  }
  __syncwarp();
}

}  // namespace spodnet::cuda
