#pragma once
// Rows of a symmetric matrix that is shared out over the blocks of a group.
#include "spodnet/cuda/block.cuh"

namespace spodnet::cuda {

/// Where a row lies: the compiler must know, or it asks at every access.
struct SharedRow {
  int at;
  __device__ __forceinline__ double2& pair(int c) const {
    return *reinterpret_cast<double2*>(shared_memory + at + c);
  }
  __device__ __forceinline__ SharedRow below(int n, int ld) const { return {at + n * ld}; }
};
struct GlobalRow {
  double* at;
  __device__ __forceinline__ double2& pair(int c) const {
    return *reinterpret_cast<double2*>(at + c);
  }
  __device__ __forceinline__ GlobalRow below(int n, int ld) const { return {at + long(n) * ld}; }
};

/// The rows [first, first + count) of a matrix: as many as there is room for in shared memory, the
/// others in global memory. A warp works on kAtOnce rows at a time, lanes along the columns, two
/// each; `ld` is even and columns from p on are 0.
struct Rows {
  static constexpr int kAtOnce = 4;
  static constexpr int kHelpers = 3;  ///< barrier of the warps that hold rows

  int first, count, resident, ld, at;  ///< at: in shared memory
  double* rest;                        ///< row k >= resident is at rest + k ld
  int warp, warps, lane;               ///< of those that hold rows
  bool mine;

  __device__ __forceinline__ double* row(int k) const {
    return k < resident ? shared_memory + at + k * ld : rest + long(k) * ld;
  }
  __device__ __forceinline__ SharedRow in_shared(int k) const { return {at + k * ld}; }
  __device__ __forceinline__ GlobalRow in_global(int k) const { return {rest + long(k) * ld}; }

  /// From a function of (row, column); 0 outside p x p.
  template <class Entry>
  __device__ __forceinline__ void set(int p, Entry entry) {
    if (!mine) return;
    for (int k = warp; k < count; k += warps)
      for (int c = lane; c < ld; c += 32) row(k)[c] = c < p ? entry(first + k, c) : 0.0;
    wait_barrier(kHelpers, 32 * warps);
  }
  /// To a function of (row, column, value), the lower triangle alone.
  template <class Put>
  __device__ __forceinline__ void get_lower(int, Put put) const {
    if (!mine) return;
    for (int k = warp; k < count; k += warps)
      for (int c = lane; c <= first + k; c += 32) put(first + k, c, row(k)[c]);
  }

  /// A += cx x x' + cy y y' (with kUpdate), and products[k] = row k of A z. All in shared memory.
  template <bool kUpdate>
  __device__ __forceinline__ void product(const double* x, double cx, const double* y, double cy,
                                          const double* z, double* products) const {
    const Sweep<kUpdate> sweep{*this, x, y, z, products, cx, cy};
    each_sweep(sweep);
  }
  /// One pivot of the symmetric sweep; `r` (shared) is row i before it.
  __device__ __forceinline__ void pivot(int i, const double* r) const {
    const Pivot sweep{*this, i, r, reciprocal(r[i])};
    each_sweep(sweep);
    __syncwarp();
  }

  /// Column i of these rows, by their warps after a sweep of theirs.
  __device__ __forceinline__ void get_column(int i, double* out) const {
    for (int k = kAtOnce * warp; k < count; k += kAtOnce * warps)
      if (lane < kAtOnce && k + lane < count) out[k + lane] = row(k + lane)[i];
  }
  /// Row i to global memory, where it lies here.
  __device__ __forceinline__ void show_row(int i, double* out) const {
    const int k = i - first;
    if (k < 0 || k >= count || k / kAtOnce % warps != warp) return;
    for (int c = lane; c < ld; c += 32) out[c] = row(k)[c];
  }

 private:
  template <bool kUpdate>
  struct Sweep {
    const Rows& rows;
    const double *x, *y, *z;
    double* products;
    double cx, cy;

    template <int R, class Row>
    __device__ __forceinline__ void run(int k, Row a) const {
      const int stride = rows.ld, from = rows.first + k;
      double xr[R], yr[R], sum[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        sum[r] = 0;
        if (kUpdate) xr[r] = cx * x[from + r], yr[r] = cy * y[from + r];
      }
#pragma unroll 2
      for (int c = 2 * rows.lane; c < stride; c += 64) {
        const double2 zc = *reinterpret_cast<const double2*>(z + c);
        double2 v[R];
#pragma unroll
        for (int r = 0; r < R; ++r) v[r] = a.below(r, stride).pair(c);
        if (kUpdate) {
          const double2 xc = *reinterpret_cast<const double2*>(x + c);
          const double2 yc = *reinterpret_cast<const double2*>(y + c);
#pragma unroll
          for (int r = 0; r < R; ++r) {
            v[r].x = fma(xr[r], xc.x, fma(yr[r], yc.x, v[r].x));
            v[r].y = fma(xr[r], xc.y, fma(yr[r], yc.y, v[r].y));
            a.below(r, stride).pair(c) = v[r];
          }
        }
#pragma unroll
        for (int r = 0; r < R; ++r) sum[r] = fma(v[r].x, zc.x, fma(v[r].y, zc.y, sum[r]));
      }
      warp_sum(sum);
      if (rows.lane != 0) return;
#pragma unroll
      for (int r = 0; r < R; ++r) products[k + r] = sum[r];
    }
  };
  struct Pivot {
    const Rows& rows;
    int i;
    const double* pivot_row;
    double d;

    template <int R, class Row>
    __device__ __forceinline__ void run(int k, Row a) const {
      const int stride = rows.ld, from = rows.first + k;
      double t[R];
#pragma unroll
      for (int r = 0; r < R; ++r) t[r] = from + r == i ? -d : d * pivot_row[from + r];
#pragma unroll 2
      for (int c = 2 * rows.lane; c < stride; c += 64) {
        const double2 rc = *reinterpret_cast<const double2*>(pivot_row + c);
        double2 v[R];
#pragma unroll
        for (int r = 0; r < R; ++r) v[r] = a.below(r, stride).pair(c);
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (from + r == i) v[r] = {0, 0};
          v[r].x = c == i ? t[r] : fma(-t[r], rc.x, v[r].x);
          v[r].y = c + 1 == i ? t[r] : fma(-t[r], rc.y, v[r].y);
          a.below(r, stride).pair(c) = v[r];
        }
      }
    }
  };
  /// A sweep over this warp's rows, kAtOnce at a time; the last ones of either place one by one.
  template <class S>
  __device__ __forceinline__ void each_sweep(const S& sweep) const {
    for (int k = kAtOnce * warp; k < count; k += kAtOnce * warps) {
      const int end = min(k + kAtOnce, count);
      if (end == k + kAtOnce && end <= resident)
        sweep.template run<kAtOnce>(k, in_shared(k));
      else if (end == k + kAtOnce && k >= resident)
        sweep.template run<kAtOnce>(k, in_global(k));
      else
        single_rows(sweep, k, end);
    }
  }
  template <class S>
  __device__ __forceinline__ void single_rows(const S& sweep, int k, int end) const {
    for (; k < min(end, resident); ++k) sweep.template run<1>(k, in_shared(k));
    for (; k < end; ++k) sweep.template run<1>(k, in_global(k));
  }
};

}  // namespace spodnet::cuda
