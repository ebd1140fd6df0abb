#pragma once
// Small matrix products with any strides: C = A B, or C += A B. Part of program_kernels_impl.hpp:
// one copy per instruction set. (core's gemm wants rows that are whole vectors.)
#include "spodnet/core/kernel_vectors.hpp"

namespace spodnet {
namespace SPODNET_ISA {

constexpr long kLane = long(kLanes);
constexpr int kTileVectors = 3, kTileRows = kManyRegisters ? 8 : 4;
constexpr long kTileWidth = kTileVectors * kLane;

/// R rows and V vectors of C; rows of B and C are contiguous.
template <int R, int V>
SPODNET_INLINE void strided_tile(long K, const double* A, long am, long ak, const double* B,
                                 long bk, double* C, long cm, bool add) {
  Vec c[R][V];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) c[r][v] = add ? load(C + r * cm + v * kLane) : zero();
  for (long k = 0; k < K; ++k) {
    Vec b[V];
    for (int v = 0; v < V; ++v) b[v] = load(B + k * bk + v * kLane);
    for (int r = 0; r < R; ++r) {
      const Vec a = all(A[r * am + k * ak]);
      for (int v = 0; v < V; ++v) c[r][v] += a * b[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) store(C + r * cm + v * kLane, c[r][v]);
}

template <int V>
static void strided_panel(long M, long K, const double* A, long am, long ak, const double* B,
                          long bk, double* C, long cm, bool add) {
  long m = 0;
  for (; m + kTileRows <= M; m += kTileRows)
    strided_tile<kTileRows, V>(K, A + m * am, am, ak, B, bk, C + m * cm, cm, add);
  for (; m + 2 <= M; m += 2) strided_tile<2, V>(K, A + m * am, am, ak, B, bk, C + m * cm, cm, add);
  for (; m < M; ++m) strided_tile<1, V>(K, A + m * am, am, ak, B, bk, C + m * cm, cm, add);
}

/// R x N entries as dot products: both operands are contiguous along k.
template <int R, int N>
static void dot_tile(long K, const double* A, long am, const double* B, long bn, double* C, long cm,
                     long cn, bool add) {
  Vec acc[R][N] = {};
  long k = 0;
  for (; k + kLane <= K; k += kLane) {
    Vec b[N];
    for (int s = 0; s < N; ++s) b[s] = load(B + s * bn + k);
    for (int r = 0; r < R; ++r) {
      const Vec a = load(A + r * am + k);
      for (int s = 0; s < N; ++s) acc[r][s] += a * b[s];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < N; ++s) {
      double x = sum(acc[r][s]);
      for (long q = k; q < K; ++q) x += A[r * am + q] * B[s * bn + q];
      double& c = C[r * cm + s * cn];
      c = add ? c + x : x;
    }
}

template <int R>
static void dot_rows(long N, long K, const double* A, long am, const double* B, long bn, double* C,
                     long cm, long cn, bool add) {
  long n = 0;
  for (; n + 3 <= N; n += 3) dot_tile<R, 3>(K, A, am, B + n * bn, bn, C + n * cn, cm, cn, add);
  for (; n < N; ++n) dot_tile<R, 1>(K, A, am, B + n * bn, bn, C + n * cn, cm, cn, add);
}

/// Columns n ... n + w - 1 of C (w <= kTileWidth) by copies of B and C whose rows are vectors.
static void copied_columns(long M, long w, long K, const double* A, long am, long ak,
                           const double* B, long bk, long bn, double* C, long cm, long cn,
                           bool add) {
  constexpr long kDepth = 1024, kRows = 256;
  alignas(64) static thread_local double right[kDepth * kTileWidth], out[kRows * kTileWidth];
  const long pad = (w + kLane - 1) / kLane * kLane;
  if (K == 0 && !add)
    for (long m = 0; m < M; ++m)
      for (long j = 0; j < w; ++j) C[m * cm + j * cn] = 0;
  for (long k0 = 0; k0 < K; k0 += kDepth) {
    const long depth = K - k0 < kDepth ? K - k0 : kDepth;
    for (long k = 0; k < depth; ++k)
      for (long j = 0; j < pad; ++j) right[k * pad + j] = j < w ? B[(k0 + k) * bk + j * bn] : 0.0;
    for (long m0 = 0; m0 < M; m0 += kRows) {
      const long rows = M - m0 < kRows ? M - m0 : kRows;
      const double* a = A + m0 * am + k0 * ak;
      if (pad == kTileWidth)
        strided_panel<kTileVectors>(rows, depth, a, am, ak, right, pad, out, pad, false);
      else if (pad == 2 * kLane)
        strided_panel<2>(rows, depth, a, am, ak, right, pad, out, pad, false);
      else
        strided_panel<1>(rows, depth, a, am, ak, right, pad, out, pad, false);
      for (long m = 0; m < rows; ++m)
        for (long j = 0; j < w; ++j) {
          double& c = C[(m0 + m) * cm + j * cn];
          c = add || k0 > 0 ? c + out[m * pad + j] : out[m * pad + j];
        }
    }
  }
}

/// C (M x N) = A (M x K) B (K x N), or added to C; x[row * xm + column * xn] each.
static void strided_product(long M, long N, long K, const double* A, long am, long ak,
                            const double* B, long bk, long bn, double* C, long cm, long cn,
                            bool add) {
  if (ak == 1 && bk == 1 && K >= 2 * kLane && (bn != 1 || cn != 1)) {
    long m = 0;
    for (; m + 4 <= M; m += 4) dot_rows<4>(N, K, A + m * am, am, B, bn, C + m * cm, cm, cn, add);
    for (; m < M; ++m) dot_rows<1>(N, K, A + m * am, am, B, bn, C + m * cm, cm, cn, add);
    return;
  }
  if (cn != 1 && cm == 1)  // C' = B' A'
    return strided_product(N, M, K, B, bn, bk, A, ak, am, C, cn, cm, add);
  const bool contiguous = bn == 1 && cn == 1;
  for (long n = 0; n < N;) {
    const long left = N - n;
    if (contiguous && left >= kTileWidth) {
      strided_panel<kTileVectors>(M, K, A, am, ak, B + n, bk, C + n, cm, add);
      n += kTileWidth;
    } else if (contiguous && !add && N >= kTileWidth) {  // the last ones with their neighbours
      const long from = N - kTileWidth;
      strided_panel<kTileVectors>(M, K, A, am, ak, B + from, bk, C + from, cm, false);
      n = N;
    } else if (contiguous && left >= kLane) {
      strided_panel<1>(M, K, A, am, ak, B + n, bk, C + n, cm, add);
      n += kLane;
    } else {
      const long w = left < kTileWidth ? left : kTileWidth;
      copied_columns(M, w, K, A, am, ak, B + n * bn, bk, bn, C + n * cn, cm, cn, add);
      n += w;
    }
  }
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
