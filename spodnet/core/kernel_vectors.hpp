// Vectors of one instruction set, for the files that are compiled once per set inside its own
// namespace (SPODNET_ISA, vectors of SPODNET_VECTOR_BYTES).
#pragma once

#include <cstddef>
#include <cstdint>
#if SPODNET_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace spodnet {
namespace SPODNET_ISA {

constexpr std::size_t kLanes = SPODNET_VECTOR_BYTES / sizeof(double);
constexpr bool kManyRegisters = kLanes == 8;  // AVX-512 has 32 vector registers, the others 16

typedef double Vec __attribute__((vector_size(SPODNET_VECTOR_BYTES)));
typedef double VecInMemory
    __attribute__((vector_size(SPODNET_VECTOR_BYTES), aligned(8), may_alias));
typedef long long Mask __attribute__((vector_size(SPODNET_VECTOR_BYTES)));

#define SPODNET_INLINE static inline __attribute__((always_inline))

SPODNET_INLINE Vec load(const double* x) { return *reinterpret_cast<const VecInMemory*>(x); }
/// x[0], x[step], x[2 step] ...
SPODNET_INLINE Vec load_strided(const double* x, std::size_t step) {
#if SPODNET_VECTOR_BYTES == 64
  const double* y = x + 4 * step;  // two by two, then halves: not one after the other
  return Vec{x[0], x[step], x[2 * step], x[3 * step], y[0], y[step], y[2 * step], y[3 * step]};
#else
  Vec v;
  for (std::size_t l = 0; l < kLanes; ++l) v[l] = x[l * step];
  return v;
#endif
}
SPODNET_INLINE void store(double* x, Vec v) { *reinterpret_cast<VecInMemory*>(x) = v; }
#if SPODNET_VECTOR_BYTES == 32
SPODNET_INLINE __m256i first_lanes(std::size_t n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), _mm256_setr_epi64x(0, 1, 2, 3));
}
#endif
/// The first n < kLanes numbers, then zeros; what is behind them is not touched.
SPODNET_INLINE Vec load_first(const double* x, std::size_t n) {
#if SPODNET_VECTOR_BYTES == 64
  return _mm512_maskz_loadu_pd(__mmask8((1u << n) - 1), x);
#elif SPODNET_VECTOR_BYTES == 32
  return _mm256_maskload_pd(x, first_lanes(n));
#else
  Vec v = {};
  for (std::size_t l = 0; l < n; ++l) v[l] = x[l];
  return v;
#endif
}
SPODNET_INLINE void store_first(double* x, std::size_t n, Vec v) {
#if SPODNET_VECTOR_BYTES == 64
  _mm512_mask_storeu_pd(x, __mmask8((1u << n) - 1), v);
#elif SPODNET_VECTOR_BYTES == 32
  _mm256_maskstore_pd(x, first_lanes(n), v);
#else
  for (std::size_t l = 0; l < n; ++l) x[l] = v[l];
#endif
}
SPODNET_INLINE Vec all(double a) { return a - Vec{}; }
SPODNET_INLINE Vec zero() { return Vec{}; }
constexpr long long kSignBit = -0x7fffffffffffffffLL - 1;
SPODNET_INLINE Vec abs_of(Vec v) { return (Vec)((Mask)v & ~kSignBit); }
/// x, or -x where s is negative.
SPODNET_INLINE Vec flip_where_negative(Vec x, Vec s) {
  return (Vec)((Mask)x ^ ((Mask)s & kSignBit));
}
SPODNET_INLINE Vec only_where(Mask mask, Vec v) { return (Vec)(mask & (Mask)v); }
/// core/formulas.hpp's arithmetic.
struct VecArithmetic {
  SPODNET_INLINE Vec abs(Vec v) { return abs_of(v); }
  SPODNET_INLINE Vec flip(Vec x, Vec s) { return flip_where_negative(x, s); }
  SPODNET_INLINE Vec zero_where(Mask mask, Vec v) { return only_where(~mask, v); }
  SPODNET_INLINE Vec plus_product(Vec a, Vec b, Vec c) { return a + b * c; }
};
/// a + b where mask, else a.
SPODNET_INLINE Vec add_where(Mask mask, Vec a, Vec b) {
#if SPODNET_VECTOR_BYTES == 64
  return mask ? a + b : a;  // one masked instruction
#else
  return a + only_where(mask, b);
#endif
}
/// max(v, 0), NaN where v is NaN.
SPODNET_INLINE Vec relu_of(Vec v) {
#if SPODNET_VECTOR_BYTES == 64
  // The second operand where they cannot be compared. (Plain _mm512_max_pd makes g++ 12 warn.)
  return _mm512_maskz_max_pd(0xff, _mm512_setzero_pd(), v);
#elif SPODNET_VECTOR_BYTES == 32
  return _mm256_max_pd(_mm256_setzero_pd(), v);
#else
  return only_where(~(v <= 0.0), v);
#endif
}
/// A value the compiler knows nothing about: addresses relative to it stay relative to it.
SPODNET_INLINE const double* opaque(const double* x) {
  __asm__("" : "+r"(x));
  return x;
}
/// v, as a number of its own: a product is then not fused with the addition that follows.
SPODNET_INLINE Vec apart(Vec v) {
#if SPODNET_VECTOR_BYTES == 64
  __asm__("" : "+v"(v));
#endif
  return v;
}
/// Bit l: entry l of x is not 0.
SPODNET_INLINE std::uint64_t nonzero_bits(const double* x) {
#if SPODNET_VECTOR_BYTES == 64
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(x), _mm512_setzero_pd(), _CMP_NEQ_UQ);
#elif SPODNET_VECTOR_BYTES == 32
  return unsigned(
      _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(x), _mm256_setzero_pd(), _CMP_NEQ_UQ)));
#else
  std::uint64_t bits = 0;
  for (std::size_t l = 0; l < kLanes; ++l) bits |= std::uint64_t(x[l] != 0) << l;
  return bits;
#endif
}

#if SPODNET_VECTOR_BYTES == 64
typedef double Half __attribute__((vector_size(32)));
typedef double Pair __attribute__((vector_size(16)));
SPODNET_INLINE double sum(Vec v) {
  const Half h =
      __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const Pair s = __builtin_shufflevector(h, h, 0, 1) + __builtin_shufflevector(h, h, 2, 3);
  return s[0] + s[1];
}

typedef double HalfInMemory __attribute__((vector_size(32), aligned(8), may_alias));
SPODNET_INLINE Vec pair_sums(Vec a, Vec b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
         __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
/// out[k] = the sum of v[k], k < 4: added up together, not one by one.
SPODNET_INLINE void store_four_sums(const Vec* v, double* out) {
  const Vec a = pair_sums(v[0], v[1]), b = pair_sums(v[2], v[3]);
  const Vec s = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  *reinterpret_cast<HalfInMemory*>(out) =
      __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7);
}
#elif SPODNET_VECTOR_BYTES == 32
typedef double Pair __attribute__((vector_size(16)));
SPODNET_INLINE double sum(Vec v) {
  const Pair s = __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
  return s[0] + s[1];
}
#else
SPODNET_INLINE double sum(Vec v) { return v[0] + v[1]; }
#endif

}  // namespace SPODNET_ISA
}  // namespace spodnet
