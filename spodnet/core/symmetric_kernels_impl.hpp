#pragma once
// Symmetric matrices, block-lower-triangular. Part of kernels_impl.hpp: one copy per instruction
// set.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

constexpr std::size_t kRows =
    kManyRegisters ? 4 : 2;  // rows swept together: their accumulators stay in registers
constexpr std::size_t kTogether = kManyRegisters ? kRows : 1;  // rows that take a step at a time

/// out[k] = the sum of acc[k], k < kRows.
SPODNET_INLINE void store_sums(const Vec (&acc)[kRows], double* out) {
#if SPODNET_VECTOR_BYTES == 64
  store_four_sums(acc, out);
#else
  for (std::size_t k = 0; k < kRows; ++k) out[k] = sum(acc[k]);
#endif
}

/// Rows r .. r + kRows - 1 of out = A z: the part left of the diagonal block counts twice, once in
/// `acc` (these rows) and once in `out` (the mirrored columns).
template <bool kUpdate>
SPODNET_INLINE void sweep_rows(std::size_t r, std::size_t ld, double* A, const double* x1,
                               double c1, const double* x2, double c2, const double* z,
                               double* out) {
  double* row = A + r * ld;
  Vec acc[kRows], f1[kRows], f2[kRows], zr[kRows];
  for (std::size_t k = 0; k < kRows; ++k) {
    acc[k] = zero();
    zr[k] = all(z[r + k]);
    if (kUpdate) f1[k] = all(c1 * x1[r + k]), f2[k] = all(c2 * x2[r + k]);
  }
  const std::size_t diagonal = r / kBlock * kBlock;
  for (std::size_t j = 0; j < diagonal; j += kLanes) {
    const Vec zj = load(z + j);
    Vec a[kRows], x1j = zero(), x2j = zero(), mirrored = load(out + j);
    if (kUpdate) x1j = load(x1 + j), x2j = load(x2 + j);
    for (std::size_t k0 = 0; k0 < kRows; k0 += kTogether) {
      const std::size_t end = k0 + kTogether;
      for (std::size_t k = k0; k < end; ++k) a[k] = load(row + k * ld + j);
      for (std::size_t k = k0; kUpdate && k < end; ++k) a[k] += f1[k] * x1j;
      for (std::size_t k = k0; kUpdate && k < end; ++k)
        store(row + k * ld + j, a[k] += f2[k] * x2j);
      for (std::size_t k = k0; k < end; ++k) acc[k] += a[k] * zj;
      for (std::size_t k = k0; k < end; ++k) mirrored += a[k] * zr[k];
    }
    store(out + j, mirrored);
  }
  for (std::size_t j = diagonal; j < diagonal + kBlock; j += kLanes) {
    const Vec zj = load(z + j);
    for (std::size_t k = 0; k < kRows; ++k) {
      Vec a = load(row + k * ld + j);
      if (kUpdate) {
        a += f1[k] * load(x1 + j);
        a += f2[k] * load(x2 + j);
        store(row + k * ld + j, a);
      }
      acc[k] += a * zj;
    }
  }
  store_sums(acc, out + r);  // the first to write there: mirrored parts come from rows below
}

template <bool kUpdate>
static void sweep(std::size_t p, std::size_t ld, double* A, const double* x1, double c1,
                  const double* x2, double c2, const double* z, double* out) {
  std::size_t r = 0;
  for (; r < p; r += kRows) sweep_rows<kUpdate>(r, ld, A, x1, c1, x2, c2, z, out);
  for (; r < ld; ++r) out[r] = 0;
}

static void triangle_column(std::size_t ld, const double* A, std::size_t i, double c1,
                            const double* x1, double c2, const double* x2, double* out) {
  const std::size_t end = (i / kBlock + 1) * kBlock;
  const Vec f1 = all(c1), f2 = all(c2);
  for (std::size_t j = 0; j < ld; j += kLanes) {
    Vec a = j < end ? load(A + i * ld + j) : load_strided(A + j * ld + i, ld);
    if (x1) a += f1 * load(x1 + j), a += f2 * load(x2 + j);
    store(out + j, a);
  }
}

static void symmetric_product(std::size_t p, std::size_t ld, const double* A, const double* x,
                              double* out) {
  sweep<false>(p, ld, const_cast<double*>(A), x, 0, x, 0, x, out);
}

static void symmetric_rows(std::size_t first, std::size_t last, std::size_t ld, const double* A,
                           const double* x, double* out) {
  for (std::size_t j = 0; j < first; ++j) out[j] = 0;
  for (std::size_t r = first; r < last; r += kRows)
    sweep_rows<false>(r, ld, const_cast<double*>(A), x, 0, x, 0, x, out);
}

static void update_product(std::size_t p, std::size_t ld, double* A, const double* x1, double c1,
                           const double* x2, double c2, const double* z, double* out) {
  sweep<true>(p, ld, A, x1, c1, x2, c2, z, out);
}

/// One register tile of R rows and V vectors of a rank_update.
template <int R, int V>
SPODNET_INLINE void rank_tile(std::size_t count, const double* scaled, const double* const* right,
                              std::size_t c, double* A, std::size_t ld) {
  Vec acc[R][V];
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) acc[i][j] = load(A + i * ld + c + j * kLanes);
  for (std::size_t k = 0; k < count; ++k) {
    Vec b[V];
    const double* row = opaque(right[k] + c);
    for (int j = 0; j < V; ++j) b[j] = load(row + j * kLanes);
    for (int i = 0; i < R; ++i) {
      const Vec a = all(scaled[k * kBlock + i]);
      for (int j = 0; j < V; ++j) acc[i][j] += a * b[j];
    }
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) store(A + i * ld + c + j * kLanes, acc[i][j]);
}

/// R rows of a rank_update, up to column `end`.
template <int R, int V>
SPODNET_INLINE void rank_rows(std::size_t count, const double* scaled, const double* const* right,
                              std::size_t end, double* rows, std::size_t ld) {
  std::size_t c = 0;
  const auto left_over = [&] { return (end - c) / kLanes; };
  for (; left_over() >= V && left_over() != V + 1; c += V * kLanes)
    rank_tile<R, V>(count, scaled, right, c, rows, ld);
  for (; left_over() >= 2; c += 2 * kLanes) rank_tile<R, 2>(count, scaled, right, c, rows, ld);
  if (c < end) rank_tile<R, 1>(count, scaled, right, c, rows, ld);
}

static void rank_update_rows(std::size_t first, std::size_t p, std::size_t ld, double* A,
                             std::size_t count, const double* coef, const double* const* left,
                             const double* const* right, std::size_t columns) {
  constexpr int R = kManyRegisters ? 8 : 4, V = kManyRegisters ? 3 : 2, kHalf = kBlock / 2;
  for (std::size_t r = first; r < p; r += kBlock) {
    alignas(64) double scaled[kMaxTerms * kBlock];
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < kBlock; i += kLanes)
        store(scaled + k * kBlock + i, all(coef[k]) * load(left[k] + r + i));
    const std::size_t end = r + kBlock < columns ? r + kBlock : columns;
    if (p - r <= kHalf)  // the rest of the block is padding
      rank_rows<kHalf, kManyRegisters ? 5 : V>(count, scaled, right, end, A + r * ld, ld);
    else
      for (std::size_t i = 0; i < kBlock; i += R)
        rank_rows<R, V>(count, scaled + i, right, end, A + (r + i) * ld, ld);
  }
}

static void rank_update(std::size_t p, std::size_t ld, double* A, std::size_t count,
                        const double* coef, const double* const* left, const double* const* right,
                        std::size_t columns) {
  rank_update_rows(0, p, ld, A, count, coef, left, right, columns);
}

// Elimination on [A I]: the right half becomes L_1^{-1} with A = L_1 D L_1', then R = D^{-1/2}
// L_1^{-1}, so that the chain of pivots waits for divisions alone.
static bool invert_factor(const double* A, std::size_t ld, double* R) {
  constexpr int n = kBlock, V = int(kBlock / kLanes);
  Vec a[n][V], r[n][V];
  double pivot[n];
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < V; ++j) {
      a[k][j] = load(A + std::size_t(k) * ld + std::size_t(j) * kLanes);
      r[k][j] = zero();
    }
  for (int k = 0; k < n; ++k) r[k][k / int(kLanes)][k % int(kLanes)] = 1;
  bool good = true;
  _Pragma("GCC unroll 8") for (int k = 0; k < n; ++k) {
    pivot[k] = a[k][k / int(kLanes)][k % int(kLanes)];
    good &= pivot[k] > 0 && pivot[k] <= __DBL_MAX__;
    const double inverse = -1 / pivot[k];
    _Pragma("GCC unroll 8") for (int i = k + 1; i < n; ++i) {
      const Vec f = all(a[k][i / int(kLanes)][i % int(kLanes)] * inverse);  // a_ki = a_ik
      for (int j = 0; j < V; ++j) {
        a[i][j] += f * a[k][j];
        r[i][j] += f * r[k][j];
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    const Vec scale = all(1 / __builtin_sqrt(pivot[k]));
    for (int j = 0; j < V; ++j) store(R + k * n + j * int(kLanes), scale * r[k][j]);
  }
  return good;
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
