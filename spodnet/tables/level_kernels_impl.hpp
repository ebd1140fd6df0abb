// The kernels of tables/level_kernels.hpp, included once per instruction set (see
// core/kernel_vectors.hpp).
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/tables/level_kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

/// exp(x) for x <= 0: x = k ln2 + r, |r| <= ln2/2, then 2^k times Taylor's sum for exp(r).
SPODNET_INLINE Vec exp_of(Vec x) {
  constexpr double kInverseLn2 = 1.4426950408889634, kLn2High = 6.93147180369123816490e-01,
                   kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves k in the low bits
  constexpr double kInverse[] = {1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800,
                                 1. / 362880,     1. / 40320,     1. / 5040,     1. / 720,
                                 1. / 120,        1. / 24,        1. / 6,        1. / 2};
  x = x < all(-700) ? all(-700) : x;
  const Vec shifted = x * all(kInverseLn2) + all(kRound);
  const Vec k = shifted - all(kRound);
  const Vec r = (x - k * all(kLn2High)) - k * all(kLn2Low);
  Vec tail = all(kInverse[0]);
  for (int n = 1; n < 12; ++n) tail = tail * r + all(kInverse[n]);
  const Vec power = (Vec)(((Mask)shifted << 52) + 0x3ff0000000000000LL);  // 2^k
  return power * (all(1) + (r + r * r * tail));
}

static void add_exponentials(std::size_t n, std::size_t count, const double* weight,
                             const double* a, const double* b, const double* x, const double* y,
                             double* out) {
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec xj = load(x + j), yj = load(y + j);
    Vec sum = load(out + j);
    for (std::size_t k = 0; k < count; ++k)
      sum += all(weight[k]) * exp_of(all(a[k]) * xj + all(b[k]) * yj);
    store(out + j, sum);
  }
}

static void common_bits(std::size_t words, std::size_t rows, const std::uint64_t* A,
                        std::size_t cols, const std::uint64_t* B, double* counts) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      int bits = 0;
      for (std::size_t k = 0; k < words; ++k)
        bits += __builtin_popcountll(A[i * words + k] & B[j * words + k]);
      counts[i * cols + j] = bits;
    }
}

extern const LevelKernels level_table;
const LevelKernels level_table = {SPODNET_ISA_NAME, add_exponentials, common_bits};

}  // namespace SPODNET_ISA
}  // namespace spodnet
