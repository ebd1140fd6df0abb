#pragma once
// What every kernel uses: reciprocals, sums over a warp.
#include "spodnet/cuda/ptx.cuh"

#define SPODNET_FORMULA __device__ __forceinline__
#include "spodnet/core/formulas.hpp"

namespace spodnet::cuda {

constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ double relu(double x) { return x < 0 ? 0.0 : x; }
__device__ __forceinline__ double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

/// 1 / a to the last place or two; not finite where a is 0 or not finite.
__device__ __forceinline__ double reciprocal(double a) {
  double r = rough_reciprocal(a);
  r = fma(r, fma(-a, r, 1.0), r);
  return fma(r, fma(-a, r, 1.0), r);
}

/// 1 / sqrt(a) to the last place or two; not finite where a is 0 or not finite.
__device__ __forceinline__ double inverse_root(double a) {
  double r = rough_inverse_root(a);
  const double half = 0.5 * a;
  r = fma(r, fma(-half * r, r, 0.5), r);
  return fma(r, fma(-half * r, r, 0.5), r);
}

/// core/formulas.hpp's arithmetic.
struct DeviceMath {
  double zeta, root_zeta;

  __device__ __forceinline__ double all(double x) const { return x; }
  __device__ __forceinline__ double where(bool mask, double a, double b) const {
    return mask ? a : b;
  }
  __device__ __forceinline__ double zero_where(bool mask, double a) const { return mask ? 0.0 : a; }
  __device__ __forceinline__ double abs(double a) const { return fabs(a); }
  __device__ __forceinline__ double flip(double a, double s) const { return s < 0 ? -a : a; }
  __device__ __forceinline__ double ratio(double a, double b) const { return a * reciprocal(b); }
  __device__ __forceinline__ double root_of_ratio(double a, double b) const {
    return (a == zeta ? root_zeta : sqrt(a)) * inverse_root(b);
  }
  __device__ __forceinline__ double plus_product(double a, double b, double c) const {
    return fma(b, c, a);
  }
};

/// How numbers of many threads become one.
struct Add {
  __device__ __forceinline__ double operator()(double a, double b) const { return a + b; }
};
struct Largest {  ///< a NaN is larger than all
  __device__ __forceinline__ double operator()(double a, double b) const {
    return a != a || b <= a ? a : b;
  }
};

/// Sums over a warp, in every lane.
template <int N, class Op = Add>
__device__ __forceinline__ void warp_sum(double (&x)[N], Op op = {}) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    double y[N];
    exchange(x, o, y);
#pragma unroll
    for (int k = 0; k < N; ++k) x[k] = op(x[k], y[k]);
  }
}
__device__ __forceinline__ double warp_sum(double x) {
  double one[1] = {x};
  warp_sum(one);
  return one[0];
}

/// Sum of x[0], x[stride], ... x[(count - 1) stride], four at a time.
__device__ __forceinline__ double strided_sum(const double* x, int count, int stride) {
  double a = 0, b = 0, c = 0, d = 0;
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    a += x[k * stride];
    b += x[(k + 1) * stride];
    c += x[(k + 2) * stride];
    d += x[(k + 3) * stride];
  }
  for (; k < count; ++k) a += x[k * stride];
  return (a + b) + (c + d);
}

/// The same for a count known in advance, as a tree.
template <int N, int kStride>
__device__ __forceinline__ double fixed_sum(const double* x) {
  double t[N];
#pragma unroll
  for (int k = 0; k < N; ++k) t[k] = x[k * kStride];
#pragma unroll
  for (int step = 1; step < N; step *= 2)
#pragma unroll
    for (int k = 0; k + step < N; k += 2 * step) t[k] += t[k + step];
  return t[0];
}

}  // namespace spodnet::cuda
