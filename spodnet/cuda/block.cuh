#pragma once
// One matrix in one multiprocessor: who does what, and where things lie (docs/gpu.md).
#include "spodnet/cuda/tile.cuh"
#include "spodnet/cuda/walk.hpp"

namespace spodnet::cuda {

/// Vectors of one column step that the backward needs: rows of a tape, 32 C numbers each.
enum TapeRow { kTheta, kW, kZ, kH, kU, kY, kStepSlope, kEntry, kTapeRows };
/// Numbers of one column step.
enum TapeNumber {
  kTheta22,
  kW22,
  kS22,
  kQ0,
  kScale,
  kQ,
  kV,
  kRawV,
  kSigma,
  kDV,
  kDSigma,
  kTapeNumbers = 12
};

/// What one layer's backward needs of its forward, for one matrix, in global memory.
struct Tape {
  double* base;
  int p, ld, extra;  ///< `extra` numbers a column belong to the rule

  __host__ __device__ static long size(int p, int ld, int extra) {
    return long(p) * (kTapeRows * ld + kTapeNumbers + extra);
  }
  __device__ __forceinline__ double* row(TapeRow kind, int i) const {
    return base + long(kind * p + i) * ld;
  }
  __device__ __forceinline__ double* numbers(int i) const {
    return base + long(kTapeRows) * p * ld + i * kTapeNumbers;
  }
  __device__ __forceinline__ double* of_rule(int i) const {
    return base + long(kTapeRows) * p * ld + long(p) * kTapeNumbers + long(i) * extra;
  }
};

extern __shared__ __align__(16) double shared_memory[];

/// One entry of the vectors that G's update is made of.
struct alignas(16) GTerm {
  double y, h, m, w;
};

/// The vectors of a block, at the start of shared memory.
template <int C>
struct alignas(16) Shared {
  static constexpr int kLength = 32 * C, kWarps = C == 4 ? 8 : 32 * C / kTileRows<C>;
  static constexpr int kMostSums = 8;

  double x[kLength], u[kLength];     ///< what a product is taken of
  double w[2][kLength], y[kLength];  ///< of the update of W
  double row[2 * kLength];           ///< a row of W, or two
  double parts[kWarps][kLength];     ///< of a product, by warp
  double squares[kWarps + 1];        ///< of x'W x
  double sums[2][kMostSums][C];      ///< of Block::sum
  double coef[8];                    ///< of the updates: of W, from 4 on of G
  GTerm term[kLength];               ///< of the update of G
  double t_theta[kLength], t_diag[kLength];
  double diag_S[kLength];
};

/// A block that walks one matrix. The threads of the first C warps own one entry j each of every
/// vector (`vector`); the warps after them hold W (tile.cuh). Theta, later G, lies in shared
/// memory.
template <int C>
struct Block {
  static constexpr int kLength = Shared<C>::kLength;  ///< of a vector
  static constexpr int kMostWarps = Shared<C>::kWarps + C;
  static constexpr int kMostP = Shared<C>::kWarps * kTileRows<C>;

  int p, ld;                   ///< ld: row stride of T, odd
  int tid, warp, lane, warps;  ///< warps: those that hold W
  bool vector, inside;         ///< inside: entry j exists
  int j;
  int at_numbers, at_T, at_rule;  ///< where the parts of shared memory start
  int turn = 0;

  __host__ __device__ static constexpr int tile_warps(int p_) {
    return (p_ + kTileRows<C> - 1) / kTileRows<C>;
  }
  __host__ __device__ static constexpr int even(int n) { return (n + 1) & ~1; }
  /// Numbers of shared memory, without the rule's.
  __host__ __device__ static constexpr int shared_numbers(int p_) {
    return int(sizeof(Shared<C>) / 8) + even(p_ * kTapeNumbers) + even(p_ * (p_ | 1));
  }

  __device__ explicit Block(int p_) : p(p_), ld(p_ | 1) {
    tid = int(threadIdx.x), warp = tid / 32, lane = tid % 32;
    warps = tile_warps(p);
    vector = warp < C, j = tid, inside = j < p;
    at_numbers = int(sizeof(Shared<C>) / 8);
    at_T = at_numbers + even(p * kTapeNumbers);
    at_rule = at_T + even(p * ld);
  }

  __device__ __forceinline__ static Shared<C>& shared() {
    return *reinterpret_cast<Shared<C>*>(shared_memory);
  }
  __device__ __forceinline__ int threads() const { return int(blockDim.x); }
  /// Row i of Theta, or of G.
  __device__ __forceinline__ double* T(int i) const { return shared_memory + at_T + i * ld; }
  /// The numbers of column i.
  __device__ __forceinline__ double* numbers(int i) const {
    return shared_memory + at_numbers + i * kTapeNumbers;
  }

  /// Entry k of the last product.
  __device__ __forceinline__ double product(int k) const {
    return fixed_sum<Shared<C>::kWarps, kLength>(&shared().parts[0][k]);
  }
  __device__ __forceinline__ double square() const {
    return fixed_sum<Shared<C>::kWarps, 1>(shared().squares);
  }
  /// What warps without rows would have left there.
  __device__ void clear_parts() const {
    for (int k = tid; k < Shared<C>::kWarps * kLength; k += threads())
      (&shared().parts[0][0])[k] = 0;
    if (tid <= Shared<C>::kWarps) shared().squares[tid] = 0;
  }

  /// Sums over all entries, for the threads that own them, who all call it.
  template <int N>
  __device__ __forceinline__ void sum(double (&value)[N]) {
    static_assert(N <= Shared<C>::kMostSums);
    warp_sum(value);
    if constexpr (C == 1) return;
    auto& mine = shared().sums[turn ^= 1];
    if (lane == 0)
#pragma unroll
      for (int k = 0; k < N; ++k) mine[k][warp] = value[k];
    wait_vectors();
#pragma unroll
    for (int k = 0; k < N; ++k) {
      value[k] = mine[k][0];
#pragma unroll
      for (int m = 1; m < C; ++m) value[k] += mine[k][m];
    }
  }
  __device__ __forceinline__ void wait_vectors() {
    if constexpr (C == 1)
      __syncwarp();
    else
      wait_barrier(1, kLength);
  }
};

/// One column as its rule sees it; everything "12" is 0 at entry i (Eq. 1).
struct Column {
  int i;
  double theta_22, w_22, s_22;
};
struct Entry {
  int j;
  bool in;  ///< an entry of the column: j < p, j != i
  double theta, w, s;
};

/// Adjoint of an entry and of the column's scalars.
struct EntryAdjoint {
  double theta = 0, w = 0, diag = 0;
};
struct ColumnAdjoint {
  double theta_22 = 0, w_22 = 0;
};

/// sum over rows i of left(i, a) right(i, b) for a < na, b < nb, given to put(a, b, sum). Each warp
/// takes 8 a's and 32 b's at a time. The whole block calls it.
template <class Left, class Right, class Put>
__device__ void outer_sums(int rows, int na, int nb, Left left, Right right, Put put) {
  constexpr int kA = 8;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int columns = (nb + 31) / 32, units = (na + kA - 1) / kA * columns;
  for (int unit = warp; unit < units; unit += int(blockDim.x) / 32) {
    const int a = unit / columns * kA, b = unit % columns * 32 + lane;
    double sum[kA] = {};
    constexpr int kRowsAtOnce = 4;
    int i = 0;
    for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce) {
      double r[kRowsAtOnce];
#pragma unroll
      for (int n = 0; n < kRowsAtOnce; ++n) r[n] = b < nb ? right(i + n, b) : 0.0;
#pragma unroll
      for (int n = 0; n < kRowsAtOnce; ++n)
#pragma unroll
        for (int k = 0; k < kA; ++k) sum[k] = fma(left(i + n, min(a + k, na - 1)), r[n], sum[k]);
    }
    for (; i < rows; ++i) {
      const double r = b < nb ? right(i, b) : 0.0;
#pragma unroll
      for (int k = 0; k < kA; ++k) sum[k] = fma(left(i, min(a + k, na - 1)), r, sum[k]);
    }
#pragma unroll
    for (int k = 0; k < kA; ++k)
      if (a + k < na && b < nb) put(a + k, b, sum[k]);
  }
}

}  // namespace spodnet::cuda
