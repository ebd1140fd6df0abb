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
SPODNET_INLINE void store(double* x, Vec v) { *reinterpret_cast<VecInMemory*>(x) = v; }
SPODNET_INLINE Vec all(double a) { return a - Vec{}; }
SPODNET_INLINE Vec zero() { return Vec{}; }
constexpr long long kSignBit = -0x7fffffffffffffffLL - 1;
SPODNET_INLINE Vec abs_of(Vec v) { return (Vec)((Mask)v & ~kSignBit); }
/// x, or -x where s is negative.
SPODNET_INLINE Vec flip_where_negative(Vec x, Vec s) {
  return (Vec)((Mask)x ^ ((Mask)s & kSignBit));
}
SPODNET_INLINE Vec only_where(Mask mask, Vec v) { return (Vec)(mask & (Mask)v); }
/// a + b where mask, else a.
SPODNET_INLINE Vec add_where(Mask mask, Vec a, Vec b) {
#if SPODNET_VECTOR_BYTES == 64
  return mask ? a + b : a;  // one masked instruction
#else
  return a + only_where(mask, b);
#endif
}
/// A value the compiler knows nothing about: addresses relative to it stay relative to it.
SPODNET_INLINE const double* opaque(const double* x) {
  __asm__("" : "+r"(x));
  return x;
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
