#pragma once
// Vector sums and products that pass over zeros. Part of kernels_impl.hpp: one copy per instruction
// set.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

static double dot(std::size_t n, const double* x, const double* y) {
  Vec s0 = zero(), s1 = zero();
  std::size_t j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    s0 += load(x + j) * load(y + j);
    s1 += load(x + j + kLanes) * load(y + j + kLanes);
  }
  if (j < n) s0 += load(x + j) * load(y + j);
  return sum(s0 + s1);
}

static void axpy(std::size_t n, double a, const double* x, double* y) {
  const Vec va = all(a);
  for (std::size_t j = 0; j < n; j += kLanes) store(y + j, load(y + j) + va * load(x + j));
}

static void add(std::size_t n, const double* x, double* __restrict y) {
  for (std::size_t k = 0; k < n; ++k) y[k] += x[k];  // vectorised by the compiler
}

static void linear(std::size_t n, double a, const double* x, double b, const double* y,
                   double* out) {
  const Vec va = all(a), vb = all(b);
  for (std::size_t j = 0; j < n; j += kLanes) store(out + j, va * load(x + j) + vb * load(y + j));
}

static void adam(std::size_t n, const double* g, double beta1, double beta2, double step,
                 double root, double eps, double* __restrict x, double* __restrict m,
                 double* __restrict v) {
  const double a1 = 1 - beta1, a2 = 1 - beta2;
  for (std::size_t k = 0; k < n; ++k) {  // vectorised by the compiler
    m[k] += a1 * (g[k] - m[k]);
    v[k] = beta2 * v[k] + a2 * g[k] * g[k];
    x[k] -= step * m[k] / (__builtin_sqrt(v[k]) / root + eps);
  }
}

/// V vectors of out += sum_k coef[k] rows[k]; few of them hide the latency of an addition only if
/// even and odd k are summed apart.
template <int V>
SPODNET_INLINE void combine_tile(std::size_t count, const double* coef, const double* const* rows,
                                 std::size_t j0, double* out) {
  constexpr int kSums = V > 5 ? 1 : 2;
  Vec sums[kSums][V];
  for (int j = 0; j < V; ++j) {
    sums[0][j] = load(out + j0 + j * kLanes);
    if (kSums > 1) sums[kSums - 1][j] = zero();
  }
  std::size_t k = 0;
  for (; k + kSums <= count; k += kSums)
    for (int t = 0; t < kSums; ++t) {
      const Vec a = all(coef[k + t]);
      const double* row = opaque(rows[k + t] + j0);
      for (int j = 0; j < V; ++j) sums[t][j] += a * load(row + j * kLanes);
    }
  if (k < count)
    for (int j = 0; j < V; ++j) sums[0][j] += all(coef[k]) * load(rows[k] + j0 + j * kLanes);
  for (int j = 0; j < V; ++j)
    store(out + j0 + j * kLanes, kSums > 1 ? sums[0][j] + sums[kSums - 1][j] : sums[0][j]);
}

/// The last `left` vectors, at most V.
template <int V>
SPODNET_INLINE void combine_rest(std::size_t left, std::size_t count, const double* coef,
                                 const double* const* rows, std::size_t j0, double* out) {
  if (left == V)
    combine_tile<V>(count, coef, rows, j0, out);
  else if constexpr (V > 1)
    combine_rest<V - 1>(left, count, coef, rows, j0, out);
}

static void combine(std::size_t n, std::size_t count, const double* coef, const double* const* rows,
                    double* out) {
  constexpr int V = kManyRegisters ? 13 : 10;
  std::size_t j = 0;
  for (; j + V * kLanes <= n; j += V * kLanes) combine_tile<V>(count, coef, rows, j, out);
  if (j < n) combine_rest<V - 1>((n - j) / kLanes, count, coef, rows, j, out);
}

constexpr int kTermVectors = kManyRegisters ? 13 : 10;  // sums that stay in registers

/// V vectors of out += sum over the set bits k of `terms` of x(k) (row k of A).
template <int V, class Coefficient>
SPODNET_INLINE void add_terms_tile(std::uint64_t terms, Coefficient x, const double* A,
                                   std::size_t lda, double* out) {
  Vec sums[V];
  for (int j = 0; j < V; ++j) sums[j] = load(out + j * kLanes);
  for (; terms != 0; terms &= terms - 1) {
    const auto k = std::size_t(__builtin_ctzll(terms));
    const Vec a = all(x(k));
    const double* row = opaque(A + k * lda);
    for (int j = 0; j < V; ++j) sums[j] += a * load(row + j * kLanes);
  }
  for (int j = 0; j < V; ++j) store(out + j * kLanes, sums[j]);
}

/// The last `left` vectors, at most V.
template <int V, class Coefficient>
SPODNET_INLINE void add_terms_rest(std::size_t left, std::uint64_t terms, Coefficient x,
                                   const double* A, std::size_t lda, double* out) {
  if (left == V)
    add_terms_tile<V>(terms, x, A, lda, out);
  else if constexpr (V > 1)
    add_terms_rest<V - 1>(left, terms, x, A, lda, out);
}

template <class Coefficient>
SPODNET_INLINE void add_terms(std::size_t n, std::uint64_t terms, Coefficient x, const double* A,
                              std::size_t lda, double* out) {
  constexpr int V = kTermVectors;
  std::size_t j = 0;
  for (; j + V * kLanes <= n; j += V * kLanes) add_terms_tile<V>(terms, x, A + j, lda, out + j);
  if (j < n) add_terms_rest<V - 1>((n - j) / kLanes, terms, x, A + j, lda, out + j);
}

static void row_product(std::size_t count, std::size_t skip, std::size_t n, const double* x,
                        const double* A, std::size_t lda, double* out) {
  constexpr std::size_t kBits = 64;
  const auto first = [](std::size_t bits) {
    return bits < kBits ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  };
  for (std::size_t k0 = 0; k0 < count; k0 += kBits) {
    std::uint64_t terms = 0;
    for (std::size_t k = k0; k < count && k < k0 + kBits; k += kLanes)
      terms |= nonzero_bits(x + k) << (k - k0);
    terms &= first(count - k0);
    const std::uint64_t before = terms & first(skip > k0 ? skip - k0 : 0);
    const std::uint64_t after = terms & ~first(skip >= k0 ? skip - k0 + 1 : 0);
    const auto term = [x, k0](std::size_t k) { return x[k0 + k]; };
    if (before) add_terms(n, before, term, A + k0 * lda, lda, out);
    if (after)  // one row up; the first one is not read where that is before A
      add_terms(
          n, k0 == 0 ? after >> 1 : after, [=](std::size_t k) { return term(k + (k0 == 0)); },
          A + (k0 == 0 ? 0 : k0 - 1) * lda, lda, out);
  }
}

/// The columns of B and C that add_terms takes at once.
static void transposed_panel(std::size_t m, std::size_t n, std::size_t count,
                             const double* const* A, const double* B, std::size_t ldb, double* C,
                             std::size_t ldc) {
  for (std::size_t i0 = 0; i0 < m; i0 += kLanes) {
    Mask terms = {};  // bit k of lane l: A[k][i0 + l] is not 0
    for (std::size_t k = 0; k < count; ++k) terms |= (load(A[k] + i0) != 0.0) & (1LL << k);
    for (std::size_t i = i0; i < m && i < i0 + kLanes; ++i)
      add_terms(
          n, std::uint64_t(terms[i - i0]), [A, i](std::size_t k) { return A[k][i]; }, B, ldb,
          C + i * ldc);
  }
}

static void transposed_product(std::size_t m, std::size_t n, std::size_t count,
                               const double* const* A, const double* B, std::size_t ldb, double* C,
                               std::size_t ldc) {
  constexpr std::size_t kPanel = kTermVectors * kLanes;  // of B stays in the nearest cache
  for (std::size_t j = 0; j < n; j += kPanel)
    transposed_panel(m, n - j < kPanel ? n - j : kPanel, count, A, B + j, ldb, C + j, ldc);
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
