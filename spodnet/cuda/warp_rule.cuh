#pragma once
// g, lambda and gamma of UBG (Eq. 7) where one warp walks a matrix. The weights of g and lambda
// come with the launch: the GPU reads them from its constant memory, as operands.
#include "spodnet/cuda/warp_layout.cuh"

namespace spodnet::cuda {

/// Of the usual widths.
struct WarpWeights {
  static constexpr int kMargin = 3, kLambda = 5;
  double A0[9], b0[3], A1[9], b1[3], A2[3], b2;      ///< g
  double B1[kLambda], c1[kLambda], B2[kLambda], c2;  ///< lambda
  double gamma_b2;
};

/// lambda's network: e, its slope and which of its units are on.
struct WarpLambda {
  double e, slope;

  __device__ __forceinline__ WarpLambda(const WarpWeights& k, double x) : e(k.c2), slope(0) {
    double odd = 0;
#pragma unroll
    for (int m = 0; m < WarpWeights::kLambda; ++m) {
      const double t = fma(k.B1[m], x, k.c1[m]);
      if (m % 2)
        odd = fma(k.B2[m], relu(t), odd);
      else
        e = fma(k.B2[m], relu(t), e);
      slope = fma(k.B2[m], t > 0 ? k.B1[m] : 0.0, slope);
    }
    e += odd;
  }
};

/// g: v = |MLP(theta_22, s_22, q)|.
struct WarpMargin {
  double h1[3], h2[3], out;

  __device__ __forceinline__ WarpMargin(const WarpWeights& k, const double (&x)[3]) : out(k.b2) {
#pragma unroll
    for (int m = 0; m < 3; ++m)
      h1[m] = relu(
          fma(k.A0[3 * m + 2], x[2], fma(k.A0[3 * m + 1], x[1], fma(k.A0[3 * m], x[0], k.b0[m]))));
#pragma unroll
    for (int m = 0; m < 3; ++m) {
      h2[m] = relu(fma(k.A1[3 * m + 2], h1[2],
                       fma(k.A1[3 * m + 1], h1[1], fma(k.A1[3 * m], h1[0], k.b1[m]))));
      out = fma(k.A2[m], h2[m], out);
    }
  }
  /// d_h1, d_h2 (0 where a unit is off) and d_x from d_out.
  __device__ __forceinline__ void backward(const WarpWeights& k, double d_out, double (&d_h1)[3],
                                           double (&d_h2)[3], double (&d_x)[3]) const {
#pragma unroll
    for (int m = 0; m < 3; ++m) d_h2[m] = h2[m] > 0 ? d_out * k.A2[m] : 0.0;
#pragma unroll
    for (int m = 0; m < 3; ++m) {
      const double d = fma(d_h2[2], k.A1[6 + m], fma(d_h2[1], k.A1[3 + m], d_h2[0] * k.A1[m]));
      d_h1[m] = h1[m] > 0 ? d : 0.0;
    }
#pragma unroll
    for (int m = 0; m < 3; ++m)
      d_x[m] = fma(d_h1[2], k.A0[6 + m], fma(d_h1[1], k.A0[3 + m], d_h1[0] * k.A0[m]));
  }
};

/// sigma of column i, gamma = |sigma| (Eq. 6); keeps the hidden units. Two lanes a unit, each half
/// of the inputs.
template <int P>
__device__ __forceinline__ double warp_sigma(const Warp<P>& b, const WarpWeights& k, int i) {
  constexpr int kHidden = WarpTape<P>::kHidden, kHalf = P / 2;
  static_assert(kHidden <= 16);
  const WarpStepWeights<P>& step = b.step();
  const int lane = b.r % 16, unit = lane < kHidden ? lane : 0, first = b.r / 16 * kHalf;
  const double* theta = b.tape().theta + i * Warp<P>::kLd;
  double sum[2] = {};
#pragma unroll
  for (int m = 0; m < kHalf; ++m) {  // theta has a 0 where A1 ends
    const int c = first + m;
    sum[m % 2] = fma(step.A1[unit * step.kLd + c], theta[c + (c >= i)], sum[m % 2]);
  }
  double one[1] = {sum[0] + sum[1]}, other[1];
  exchange(one, 16, other);
  const double hidden = relu(step.b1[unit] + one[0] + other[0]);
  if (b.r < kHidden) b.tape().hidden[i * WarpTape<P>::kUnitLd + b.r] = hidden;
  one[0] = lane < kHidden ? hidden * step.A2[unit] : 0.0;
#pragma unroll
  for (int o = 8; o > 0; o >>= 1) {
    exchange(one, o, other);
    one[0] += other[0];
  }
  return one[0] + k.gamma_b2;
}

/// Entry r of d sigma / d theta_12 of column i.
template <int P>
__device__ __forceinline__ double warp_sigma_slope(const Warp<P>& b, int i) {
  const WarpStepWeights<P>& step = b.step();
  const double* hidden = b.tape().hidden + i * WarpTape<P>::kUnitLd;
  const int c = min(max(b.r - (b.r > i), 0), P - 2);
  double sum[2] = {};
#pragma unroll
  for (int m = 0; m < step.kHidden; ++m)
    sum[m % 2] = fma(hidden[m] > 0 ? step.A2[m] : 0.0, step.A1[m * step.kLd + c], sum[m % 2]);
  return b.inside() && b.r != i ? sum[0] + sum[1] : 0.0;
}

}  // namespace spodnet::cuda
