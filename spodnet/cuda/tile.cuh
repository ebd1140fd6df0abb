#pragma once
// A symmetric matrix in the registers of a block.
#include "spodnet/cuda/device.cuh"

namespace spodnet::cuda {

/// Rows of the matrix that a warp holds: 64 to 104 registers of a lane are W's (32 C columns).
template <int C>
constexpr int kTileRows = C == 1   ? 32
                          : C == 2 ? 16
                                   : 13;

/// Rows R k ... R k + R - 1 of a symmetric matrix lie in warp k (R = kTileRows): lane l holds their
/// columns l, l + 32, ... (C of them; 32 C >= p). Vectors lie in shared memory, 32 C long, with
/// zeros after p. Sums over rows end in the columns' lanes, so that a product needs no shuffle:
/// each warp leaves what its rows add to every column, and who reads entry j of a product adds up
/// the warps (`sum_of`).
template <int C>
struct Tile {
  static constexpr int kRows = kTileRows<C>;
  double a[kRows][C];
  int row, lane;  ///< first row of the warp; the lane
  bool mine;      ///< false: this warp holds nothing

  /// `warp` counts from the first that holds rows; negative: none.
  __device__ __forceinline__ Tile(int warp, int warps, int lane_)
      : row(warp * kRows), lane(lane_), mine(warp >= 0 && warp < warps) {}

  /// From a function of (row, column); 0 outside p x p.
  template <class Entry>
  __device__ __forceinline__ void set(int p, Entry entry) {
#pragma unroll
    for (int k = 0; k < kRows; ++k)
#pragma unroll
      for (int m = 0; m < C; ++m) {
        const int r = row + k, c = lane + 32 * m;
        a[k][m] = mine && r < p && c < p ? entry(r, c) : 0.0;
      }
  }

  /// To a function of (row, column, value), the lower triangle alone.
  template <class Put>
  __device__ __forceinline__ void get_lower(int p, Put put) const {
    if (!mine) return;
#pragma unroll
    for (int k = 0; k < kRows; ++k)
#pragma unroll
      for (int m = 0; m < C; ++m) {
        const int r = row + k, c = lane + 32 * m;
        if (r < p && c <= r) put(r, c, a[k][m]);
      }
  }

  /// A += cx x x' + cy y y'.
  __device__ __forceinline__ void update(const double* x, double cx, const double* y, double cy) {
    double xc[C], yc[C];
#pragma unroll
    for (int m = 0; m < C; ++m) xc[m] = x[lane + 32 * m], yc[m] = y[lane + 32 * m];
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const double xr = cx * x[row + k], yr = cy * y[row + k];
#pragma unroll
      for (int m = 0; m < C; ++m) a[k][m] = fma(xr, xc[m], fma(yr, yc[m], a[k][m]));
    }
  }

  /// This warp's share of A x in its row of `parts` (stride 32 C).
  __device__ __forceinline__ void product(const double* x, double* parts) const {
    double sum[C] = {};
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const double xr = x[row + k];
#pragma unroll
      for (int m = 0; m < C; ++m) sum[m] = fma(xr, a[k][m], sum[m]);
    }
    double* out = parts + row / kRows * (32 * C);
#pragma unroll
    for (int m = 0; m < C; ++m) out[lane + 32 * m] = sum[m];
  }

  /// The same, and its share of x'A x in `squares`.
  __device__ __forceinline__ void product(const double* x, double* parts, double* squares) const {
    double sum[C] = {}, square = 0;
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const double xr = x[row + k];
#pragma unroll
      for (int m = 0; m < C; ++m) sum[m] = fma(xr, a[k][m], sum[m]);
    }
    double* out = parts + row / kRows * (32 * C);
#pragma unroll
    for (int m = 0; m < C; ++m) {
      out[lane + 32 * m] = sum[m];
      square = fma(sum[m], x[lane + 32 * m], square);
    }
    square = warp_sum(square);
    if (lane == 0) squares[row / kRows] = square;
  }

  /// out = row i, written by the warp that holds it.
  __device__ __forceinline__ void get_row(int i, double* out) const {
    if (!mine || i / kRows * kRows != row) return;
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      if (row + k == i)
#pragma unroll
        for (int m = 0; m < C; ++m) out[lane + 32 * m] = a[k][m];
  }

  /// One pivot of the symmetric sweep; `r` is row i before it. After all p pivots A is -A^{-1}.
  __device__ __forceinline__ void pivot(int i, const double* r) {
    const double d = reciprocal(r[i]);
    double rc[C];
#pragma unroll
    for (int m = 0; m < C; ++m) rc[m] = r[lane + 32 * m];
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const bool pivot_row = row + k == i;
      const double t = pivot_row ? -d : d * r[row + k];
#pragma unroll
      for (int m = 0; m < C; ++m) {
        const double rest = fma(-t, rc[m], pivot_row ? 0.0 : a[k][m]);
        a[k][m] = lane + 32 * m == i ? t : rest;
      }
    }
  }
};

}  // namespace spodnet::cuda
