#pragma once
// One matrix of up to 32 variables in one warp: lane r holds row r of W, on the way back also of G,
// in registers; everything else lies in the warp's part of shared memory (docs/gpu.md).
#include "spodnet/cuda/forward.cuh"

namespace spodnet::cuda {

constexpr int kWarpWalkMostP = 32;
constexpr int kWarpsOfBlock = 2;  ///< measured by the prototype: 1 and 8 are slower

/// Numbers of one column step.
struct WarpNumbers {
  double inv_w_22, inv_v, scale, sigma, q;
  double q0_slope;              ///< d_q0 = q0_slope d_z^'z^; 0: the scale does not depend on q0
  double own;                   ///< 1: v is g's; 0: its floor
  double q_slope, theta_slope;  ///< of v + q in q and in theta_22
  double residual;              ///< h'(s_12 - w_12)
  double d_v, d_sigma;          ///< what the walk back leaves: of g's v and of sigma
};

/// What one layer's backward needs of its forward. P: p rounded up; what lies beyond p is 0.
template <int P>
struct alignas(16) WarpTape {
  static constexpr int kLd = P + 1;  ///< odd: a lane may be a column, too
  static constexpr int kHidden = P / 2, kUnitLd = kHidden + 1;

  double theta[P * kLd];  ///< row i: theta_12 and theta_22 as column i finds them
  double w[P * kLd], y[P * kLd], h[P * kLd], z[P * kLd];
  double hidden[P * kUnitLd + (P * kUnitLd) % 2];  ///< of gamma's perceptron
  WarpNumbers numbers[P];

  __host__ __device__ static constexpr long size() { return long(sizeof(WarpTape) / 8); }
};

/// A warp's part of shared memory.
template <int P>
struct alignas(16) WarpShared {
  static constexpr int kTriangle = even(P * (P + 1) / 2), kTerms = 5 * P;

  double x[P], u[P];  ///< what a product is taken of
  double2 pair[P];    ///< of the update of W: w and y
  double room[kTriangle > kTerms ? kTriangle : kTerms];
  WarpTape<P> tape;

  /// Theta as the walk leaves it, the lower triangle.
  __device__ __forceinline__ double& theta(int row, int column) {
    return room[row * (row + 1) / 2 + column];
  }
  /// On the way back, in its place: the terms of G's update.
  __device__ __forceinline__ GTerm* terms() { return reinterpret_cast<GTerm*>(room); }
  __device__ __forceinline__ double* d_theta() { return room + 4 * P; }
};

/// gamma's perceptron, at the start of the block's shared memory; 0 beyond its units and inputs.
template <int P>
struct alignas(16) WarpStepWeights {
  static constexpr int kHidden = P / 2, kLd = P - 1;  ///< odd
  double A1[kHidden * kLd + 2 - (kHidden * kLd) % 2], b1[kHidden], A2[kHidden];
};

/// A warp that walks one matrix.
template <int P>
struct Warp {
  static constexpr int kLd = WarpTape<P>::kLd;
  int p, r;  ///< r: this lane's row
  int at;    ///< of its part of shared memory, which begins with gamma's weights

  __device__ __forceinline__ WarpShared<P>& shared() const {
    return *reinterpret_cast<WarpShared<P>*>(shared_memory + at);
  }
  __device__ __forceinline__ WarpTape<P>& tape() const { return shared().tape; }
  __device__ __forceinline__ const WarpStepWeights<P>& step() const {
    return *reinterpret_cast<const WarpStepWeights<P>*>(shared_memory);
  }
  __device__ __forceinline__ bool inside() const { return r < p; }
  /// Entry r of row i of a tape's matrix.
  __device__ __forceinline__ double get(const double* rows, int i) const {
    return r < P ? rows[i * kLd + r] : 0.0;
  }
  __device__ __forceinline__ void put(double* rows, int i, double value) const {
    if (r < P) rows[i * kLd + r] = value;
  }
  __device__ __forceinline__ void put(double* vector, double value) const {
    if (r < P) vector[r] = value;
  }
  /// Entry r of row i of a p x p matrix in global memory, symmetric; 0 beyond p.
  __device__ __forceinline__ double of_global(const double* matrix, int i) const {
    return inside() && i < p ? matrix[i * p + r] : 0.0;
  }
  __device__ __forceinline__ static double of_lane(double x, int lane) {
    return __shfl_sync(kAll, x, lane);
  }
};

/// Row r of a symmetric matrix, in the registers of lane r.
template <int P>
struct LaneRow {
  double a[P];

  /// Entry i; i is the same for all lanes.
  __device__ __forceinline__ double operator[](int i) const {
    double x = 0;
#pragma unroll
    for (int c = 0; c < P; ++c)
      if (c == i) x = a[c];
    return x;
  }
  /// Entry r of A x; x in shared memory.
  __device__ __forceinline__ double product(const double* x) const {
    double sum[4] = {};
#pragma unroll
    for (int c = 0; c < P; c += 2) {
      const double2 xc = *reinterpret_cast<const double2*>(x + c);
      sum[c % 4] = fma(a[c], xc.x, sum[c % 4]);
      sum[c % 4 + 1] = fma(a[c + 1], xc.y, sum[c % 4 + 1]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  /// A += x w' + z y' with entry r of x and z; w and y in shared memory.
  __device__ __forceinline__ void update(const double2* wy, double x, double z) {
#pragma unroll
    for (int c = 0; c < P; ++c) a[c] = fma(x, wy[c].x, fma(z, wy[c].y, a[c]));
  }
  /// One pivot of the symmetric sweep; `row` (shared) is row i before it. After all p pivots A is
  /// -A^{-1}.
  __device__ __forceinline__ void pivot(int i, int r, const double* row) {
    const double d = reciprocal(row[i]), t = r == i ? -d : r < P ? d * row[r] : 0.0;
#pragma unroll
    for (int c = 0; c < P; ++c) a[c] = c == i ? t : fma(-t, row[c], r == i ? 0.0 : a[c]);
  }
};

/// Inverts a positive definite matrix, up to its sign. Returns whether every pivot was positive and
/// finite.
template <int P>
__device__ __forceinline__ bool invert(const Warp<P>& b, LaneRow<P>& A) {
  bool good = true;
#pragma unroll 1
  for (int i = 0; i < b.p; ++i) {
    double* row = i % 2 ? b.shared().u : b.shared().x;
    b.put(row, A[i]);
    __syncwarp();
    good = good && row[i] > 0 && row[i] < 1e300;
    A.pivot(i, b.r, row);
  }
  __syncwarp();
  return good;
}

}  // namespace spodnet::cuda
