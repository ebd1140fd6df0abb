#pragma once
// Small matrix products with any strides: C = A B, or C += A B, one copy per instruction set.
// (gemm_kernels_impl.hpp wants rows that are whole vectors.)
#include <type_traits>

#include "spodnet/core/kernel_vectors.hpp"

namespace spodnet {
namespace SPODNET_ISA {

constexpr long kLane = long(kLanes);
constexpr int kTileVectors = 3, kTileRows = kManyRegisters ? 8 : 4;
constexpr int kDotRows = kManyRegisters ? 5 : 4, kDotColumns = kManyRegisters ? 4 : 3;
constexpr long kTileWidth = kTileVectors * kLane;
template <int R>
using Rows = std::integral_constant<int, R>;

/// R rows and V vectors of C, the last one with `last` numbers (0: whole); rows of B and C are
/// contiguous.
template <int R, int V, bool Part>
SPODNET_INLINE void strided_tile(long K, const double* A, long am, long ak, const double* B,
                                 long bk, double* C, long cm, bool add, std::size_t last) {
  const auto whole = [](int v) { return !Part || v < V - 1; };
  Vec c[R][V];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) {
      const double* at = C + r * cm + v * kLane;
      c[r][v] = !add ? zero() : whole(v) ? load(at) : load_first(at, last);
    }
  for (long k = 0; k < K; ++k) {
    Vec b[V];
    for (int v = 0; v < V; ++v)
      b[v] = whole(v) ? load(B + k * bk + v * kLane) : load_first(B + k * bk + v * kLane, last);
    for (int r = 0; r < R; ++r) {
      const Vec a = all(A[r * am + k * ak]);
      for (int v = 0; v < V; ++v) c[r][v] += a * b[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) {
      double* at = C + r * cm + v * kLane;
      if (whole(v))
        store(at, c[r][v]);
      else
        store_first(at, last, c[r][v]);
    }
}

/// tile(R) for R = min(rows, most), a constant.
template <int Most, class Tile>
SPODNET_INLINE void for_rows(long rows, Tile tile) {
  const auto of = [&](auto R) {
    if constexpr (R() <= Most) tile(R);
  };
  switch (rows < Most ? int(rows) : Most) {
    case 1:
      return of(Rows<1>());
    case 2:
      return of(Rows<2>());
    case 3:
      return of(Rows<3>());
    case 4:
      return of(Rows<4>());
    case 5:
      return of(Rows<5>());
    case 6:
      return of(Rows<6>());
    case 7:
      return of(Rows<7>());
    default:
      return of(Rows<8>());
  }
}

template <int V, bool Part>
static void strided_panel(long M, long K, const double* A, long am, long ak, const double* B,
                          long bk, double* C, long cm, bool add, std::size_t last) {
  for (long m = 0; m < M; m += kTileRows)
    for_rows<kTileRows>(M - m, [&](auto R) {
      strided_tile<R(), V, Part>(K, A + m * am, am, ak, B, bk, C + m * cm, cm, add, last);
    });
}

/// N <= kTileWidth columns; rows of B and C are contiguous.
static void narrow_panel(long M, long N, long K, const double* A, long am, long ak, const double* B,
                         long bk, double* C, long cm, bool add) {
  const auto last = std::size_t(N % kLane);
  const auto panel = N > 2 * kLane ? (last ? strided_panel<3, true> : strided_panel<3, false>)
                     : N > kLane   ? (last ? strided_panel<2, true> : strided_panel<2, false>)
                                   : (last ? strided_panel<1, true> : strided_panel<1, false>);
  panel(M, K, A, am, ak, B, bk, C, cm, add, last);
}

/// R x N entries as dot products: both operands are contiguous along k.
template <int R, int N>
SPODNET_INLINE void dot_tile(long K, const double* A, long am, const double* B, long bn, double* C,
                             long cm, long cn, bool add) {
  Vec acc[R][N] = {};
  const auto step = [&](long k, auto part) {
    Vec b[N];
    for (int s = 0; s < N; ++s) b[s] = part(B + s * bn + k);
    for (int r = 0; r < R; ++r) {
      const Vec a = part(A + r * am + k);
      for (int s = 0; s < N; ++s) acc[r][s] += a * b[s];
    }
  };
  long k = 0;
  for (; k + kLane <= K; k += kLane) step(k, [](const double* x) { return load(x); });
  if (k < K) step(k, [&](const double* x) { return load_first(x, std::size_t(K - k)); });
  for (int r = 0; r < R; ++r) {
    double total[N];
#if SPODNET_VECTOR_BYTES == 64
    if constexpr (N == 4)
      store_four_sums(acc[r], total);
    else
#endif
      for (int s = 0; s < N; ++s) total[s] = sum(acc[r][s]);
    for (int s = 0; s < N; ++s) {
      double& c = C[r * cm + s * cn];
      c = add ? c + total[s] : total[s];
    }
  }
}

template <int R>
static void dot_rows(long N, long K, const double* A, long am, const double* B, long bn, double* C,
                     long cm, long cn, bool add) {
  long n = 0;
  for (; n + kDotColumns <= N; n += kDotColumns)
    dot_tile<R, kDotColumns>(K, A, am, B + n * bn, bn, C + n * cn, cm, cn, add);
  for (; n < N; ++n) dot_tile<R, 1>(K, A, am, B + n * bn, bn, C + n * cn, cm, cn, add);
}

/// Columns n ... n + w - 1 of C (w <= kTileWidth) by copies of B and C whose rows are vectors.
static void copied_columns(long M, long w, long K, const double* A, long am, long ak,
                           const double* B, long bk, long bn, double* C, long cm, long cn,
                           bool add) {
  constexpr long kDepth = 1024, kRows = 256;
  alignas(64) static thread_local double right[kDepth * kTileWidth], out[kRows * kTileWidth];
  for (long k0 = 0; k0 < K; k0 += kDepth) {
    const long depth = K - k0 < kDepth ? K - k0 : kDepth;
    for (long k = 0; k < depth; ++k)
      for (long j = 0; j < w; ++j) right[k * w + j] = B[(k0 + k) * bk + j * bn];
    for (long m0 = 0; m0 < M; m0 += kRows) {
      const long rows = M - m0 < kRows ? M - m0 : kRows;
      narrow_panel(rows, w, depth, A + m0 * am + k0 * ak, am, ak, right, w, out, w, false);
      for (long m = 0; m < rows; ++m)
        for (long j = 0; j < w; ++j) {
          double& c = C[(m0 + m) * cm + j * cn];
          c = add || k0 > 0 ? c + out[m * w + j] : out[m * w + j];
        }
    }
  }
}

/// C (M x N) = A (M x K) B (K x N), or added to C; x[row * xm + column * xn] each.
static void strided_product(long M, long N, long K, const double* A, long am, long ak,
                            const double* B, long bk, long bn, double* C, long cm, long cn,
                            bool add) {
  constexpr long kFew = 100;
  if (K == 0 || M * N * K <= kFew) {
    for (long m = 0; m < M; ++m)
      for (long n = 0; n < N; ++n) {
        double c = add ? C[m * cm + n * cn] : 0;
        for (long k = 0; k < K; ++k) c += A[m * am + k * ak] * B[k * bk + n * bn];
        C[m * cm + n * cn] = c;
      }
    return;
  }
  if (ak == 1 && bk == 1 && K >= 2 * kLane && (bn != 1 || cn != 1)) {
    for (long m = 0; m < M; m += kDotRows)
      for_rows<kDotRows>(M - m, [&](auto R) {
        dot_rows<R()>(N, K, A + m * am, am, B, bn, C + m * cm, cm, cn, add);
      });
    return;
  }
  if (cn != 1 && cm == 1)  // C' = B' A'
    return strided_product(N, M, K, B, bn, bk, A, ak, am, C, cn, cm, add);
  for (long n = 0; n < N; n += kTileWidth) {
    const long w = N - n < kTileWidth ? N - n : kTileWidth;
    if (bn == 1 && cn == 1)
      narrow_panel(M, w, K, A, am, ak, B + n, bk, C + n, cm, add);
    else
      copied_columns(M, w, K, A, am, ak, B + n * bn, bk, bn, C + n * cn, cm, cn, add);
  }
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
