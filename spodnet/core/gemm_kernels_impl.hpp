#pragma once
// Matrix products. Part of kernels_impl.hpp: one copy per instruction set.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

/// One register tile of R rows and V vectors; kAdd: what is there is added to.
template <bool kAdd, int R, int V>
SPODNET_INLINE void gemm_tile(std::size_t k, const double* A, std::size_t a_row, std::size_t a_col,
                              const double* B, std::size_t ldb, double* C, std::size_t ldc) {
  Vec c[R][V];
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) c[i][j] = kAdd ? load(C + i * ldc + j * kLanes) : zero();
  for (std::size_t l = 0; l < k; ++l) {
    Vec b[V];
    for (int j = 0; j < V; ++j) b[j] = load(B + l * ldb + j * kLanes);
    for (int i = 0; i < R; ++i) {
      const Vec a = all(A[i * a_row + l * a_col]);
      for (int j = 0; j < V; ++j) c[i][j] += a * b[j];
    }
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) store(C + i * ldc + j * kLanes, c[i][j]);
}

/// The last `left` vectors of R rows of C, at most V.
template <bool kAdd, int R, int V>
SPODNET_INLINE void gemm_rest(std::size_t left, std::size_t k, const double* A, std::size_t a_row,
                              std::size_t a_col, const double* B, std::size_t ldb, double* C,
                              std::size_t ldc) {
  if (left == V)
    gemm_tile<kAdd, R, V>(k, A, a_row, a_col, B, ldb, C, ldc);
  else if constexpr (V > 1)
    gemm_rest<kAdd, R, V - 1>(left, k, A, a_row, a_col, B, ldb, C, ldc);
}

/// R rows of C, in tiles V vectors wide and at most two narrower ones; V + 1 vectors are halved, as
/// a single one would wait for its loads.
template <bool kAdd, int R, int V>
static void gemm_rows(std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                      std::size_t a_col, const double* B, std::size_t ldb, double* C,
                      std::size_t ldc) {
  std::size_t left = n / kLanes;
  const auto advance = [&](std::size_t vectors) {
    B += vectors * kLanes, C += vectors * kLanes, left -= vectors;
  };
  for (; left >= V && left != V + 1; advance(V))
    gemm_tile<kAdd, R, V>(k, A, a_row, a_col, B, ldb, C, ldc);
  if (left == V + 1) {
    gemm_tile<kAdd, R, (V + 1) / 2>(k, A, a_row, a_col, B, ldb, C, ldc);
    advance((V + 1) / 2);
  }
  gemm_rest<kAdd, R, V>(left, k, A, a_row, a_col, B, ldb, C, ldc);
}

template <bool kAdd>
static void gemm_of(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                    std::size_t a_col, const double* B, std::size_t ldb, double* C,
                    std::size_t ldc) {
  while (m > 0) {
    std::size_t rows = m < 4 ? m : 4;
    if (kManyRegisters && m > 4) rows = m < 6 ? 5 : m < 8 ? 6 : 8;
    switch (rows) {
      case 1:
        gemm_rows<kAdd, 1, 8>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 2:
        gemm_rows<kAdd, 2, kManyRegisters ? 8 : 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 3:
        gemm_rows<kAdd, 3, kManyRegisters ? 8 : 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 4:
        gemm_rows<kAdd, 4, kManyRegisters ? 5 : 2>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 5:
        gemm_rows<kAdd, 5, 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 6:
        gemm_rows<kAdd, 6, 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      default:
        gemm_rows<kAdd, 8, 3>(n, k, A, a_row, a_col, B, ldb, C, ldc);
    }
    A += rows * a_row;
    C += rows * ldc;
    m -= rows;
  }
}

static void gemm(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                 std::size_t a_col, const double* B, std::size_t ldb, double* C, std::size_t ldc) {
  gemm_of<true>(m, n, k, A, a_row, a_col, B, ldb, C, ldc);
}

static void product(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                    std::size_t a_col, const double* B, std::size_t ldb, double* C,
                    std::size_t ldc) {
  gemm_of<false>(m, n, k, A, a_row, a_col, B, ldb, C, ldc);
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
