#pragma once
// Pointwise operations. Part of program_kernels_impl.hpp: one copy per instruction set.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

SPODNET_INLINE Vec select(Mask mask, Vec a, Vec b) {
  return (Vec)((mask & (Mask)a) | (~mask & (Mask)b));
}
SPODNET_INLINE Vec one_where(Mask mask) { return only_where(mask, all(1.0)); }

/// 2^n e^r with |r| <= ln 2 / 2; infinity above, 0 below the range of normal numbers, NaN of NaN.
SPODNET_INLINE Vec exp_of(Vec given) {
  constexpr double kMost = 709.782712893384, kLeast = -707.7;
  constexpr double kTaylor[] = {2.08767569878681e-09,
                                2.505210838544172e-08,
                                2.755731922398589e-07,
                                2.7557319223985893e-06,
                                2.48015873015873e-05,
                                0.0001984126984126984,
                                0.001388888888888889,
                                0.008333333333333333,
                                0.041666666666666664,
                                0.16666666666666666,
                                0.5,
                                1.0,
                                1.0};
  const Vec x = select(given > kMost, all(kMost), select(given < kLeast, all(kLeast), given));
  const Vec magic = all(6755399441055744.0);  // adding it rounds to an integer
  const Vec shifted = x * 1.4426950408889634 + magic, n = shifted - magic;
  const Vec r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  Vec y = all(1.6059043836821613e-10);
  for (const double c : kTaylor) y = y * r + c;
  // In two steps: 2^1024 itself is no number.
  const Vec power = (Vec)((((Mask)shifted - 1) << 52) + 0x3ff0000000000000LL);
  y = y * power * 2.0;
  y = select(given > kMost, all(__builtin_inf()), y);
  return only_where(~(given < kLeast), y);
}

/// Lambert's fraction near 0, where 1 - 2 / (e^2x + 1) cancels.
SPODNET_INLINE Vec tanh_of(Vec x) {
  const Vec s = x * x;
  const Vec near = x * (135135.0 + s * (17325.0 + s * (378.0 + s))) /
                   (135135.0 + s * (62370.0 + s * (3150.0 + s * 28.0)));
  const Vec far = 1.0 - 2.0 / (exp_of(2.0 * x) + 1.0);
  return select(s < 0.25, near, far);
}

/// One by one.
template <class Of>
SPODNET_INLINE Vec each_of(Vec x, Of of) {
  Vec out;
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = of(x[l]);
  return out;
}

/// max and min keep NaN, as torch's do.
SPODNET_INLINE Vec max_of(Vec a, Vec b) { return select((a > b) | (a != a), a, b); }
SPODNET_INLINE Vec min_of(Vec a, Vec b) { return select((a < b) | (a != a), a, b); }

/// A product as it is by itself: fused with a sum it would be another number than where the
/// backward computes it again, and no entry equal to the largest one.
SPODNET_INLINE Vec rounded(Vec v) {
#if SPODNET_VECTOR_BYTES == 32
  __asm__("" : "+x"(v));
#elif defined(__aarch64__)
  __asm__("" : "+w"(v));
#endif
  return apart(v);
}

/// Where an operand is read: its numbers, or one number as a vector.
struct PointReader {
  PointReader(const PointOperand& o) : one(o.x && o.one ? all(*o.x) : zero()) {
    step = o.x && !o.one;
    x = step ? o.x : reinterpret_cast<const double*>(&one);
  }
  Vec at(long k) const { return load(x + k * step); }
  Vec first(long k, std::size_t n) const { return load_first(x + k * step, n); }
  Vec one;
  const double* x;
  long step;
};

#define SPODNET_POINT(name, expression)                                                         \
  static void name(long n, double* d, const PointOperand* operands) {                           \
    const PointReader pa(operands[0]), pb(operands[1]), pc(operands[2]);                        \
    const auto value = [](Vec a, Vec b, Vec c) -> Vec {                                         \
      (void)b, (void)c;                                                                         \
      return expression;                                                                        \
    };                                                                                          \
    constexpr long L = long(kLanes);                                                            \
    long k = 0;                                                                                 \
    for (; k + L <= n; k += L) store(d + k, value(pa.at(k), pb.at(k), pc.at(k)));               \
    if (const auto rest = std::size_t(n - k); rest > 0)                                         \
      store_first(d + k, rest, value(pa.first(k, rest), pb.first(k, rest), pc.first(k, rest))); \
  }

SPODNET_POINT(point_add, a + b)
SPODNET_POINT(point_sub, a - b)
SPODNET_POINT(point_mul, a* b)
SPODNET_POINT(point_div, a / b)
SPODNET_POINT(point_max, max_of(a, b))
SPODNET_POINT(point_min, min_of(a, b))
SPODNET_POINT(point_gt, one_where(a > b))
SPODNET_POINT(point_ge, one_where(a >= b))
SPODNET_POINT(point_lt, one_where(a < b))
SPODNET_POINT(point_le, one_where(a <= b))
SPODNET_POINT(point_eq, one_where(a == b))
SPODNET_POINT(point_ne, one_where(a != b))
SPODNET_POINT(point_neg, (Vec)((Mask)a ^ kSignBit))
SPODNET_POINT(point_abs, abs_of(a))
SPODNET_POINT(point_sign, select(a != a, a, one_where(a > 0.0) - one_where(a < 0.0)))
SPODNET_POINT(point_relu, relu_of(a))
SPODNET_POINT(point_exp, exp_of(a))
SPODNET_POINT(point_tanh, tanh_of(a))
SPODNET_POINT(point_sigmoid, 1.0 / (1.0 + exp_of((Vec)((Mask)a ^ kSignBit))))
SPODNET_POINT(point_sqrt, each_of(a, [](double x) { return __builtin_sqrt(x); }))
SPODNET_POINT(point_log, each_of(a, [](double x) { return __builtin_log(x); }))
SPODNET_POINT(point_erf, each_of(a, [](double x) { return __builtin_erf(x); }))
SPODNET_POINT(point_recip, 1.0 / a)
SPODNET_POINT(point_where, select(a != 0.0, b, c))
SPODNET_POINT(point_gate, only_where(a > 0.0, b))
SPODNET_POINT(point_mul_add, rounded(a* b) + c)
SPODNET_POINT(point_add_relu, relu_of(a + b))
SPODNET_POINT(point_mul_add_relu, relu_of(rounded(a* b) + c))
#undef SPODNET_POINT

}  // namespace SPODNET_ISA
}  // namespace spodnet
