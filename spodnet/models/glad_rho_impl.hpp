// NN_rho and its adjoint, included once per instruction set (see core/kernel_vectors.hpp).
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/models/glad_kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

/// expm1(x) for 0 <= x <= 40: x = k ln2 + r, |r| <= ln2/2, Taylor's sum for expm1(r), then
/// 2^k expm1(r) + (2^k - 1). Error below 2 ulp.
SPODNET_INLINE Vec expm1_of(Vec x) {
  constexpr double kInverseLn2 = 1.4426950408889634, kLn2High = 6.93147180369123816490e-01,
                   kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves k in the low bits
  const Vec shifted = x * all(kInverseLn2) + all(kRound);
  const Vec k = shifted - all(kRound);
  const Vec r = (x - k * all(kLn2High)) - k * all(kLn2Low);
  constexpr double kInverse[] = {1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800,
                                 1. / 362880,     1. / 40320,     1. / 5040,     1. / 720,
                                 1. / 120,        1. / 24,        1. / 6,        1. / 2};
  Vec tail = all(kInverse[0]);
  for (int n = 1; n < 12; ++n) tail = tail * r + all(kInverse[n]);
  const Vec small = r + r * r * tail;
  const Vec power = (Vec)(((Mask)shifted << 52) + 0x3ff0000000000000LL);  // 2^k
  return power * small + (power - all(1));
}

/// tanh(x) = E / (E + 2), E = expm1(2|x|), with the sign of x; +-1 beyond 20.
SPODNET_INLINE Vec tanh_of(Vec x) {
  const Mask sign = (Mask)x & (Mask)all(-0.0);
  const Vec size = (Vec)((Mask)x ^ sign);
  const Vec E = expm1_of(size < 20.0 ? 2.0 * size : all(40));
  const Vec t = E / (E + all(2));
  return x == x ? (Vec)((Mask)t | sign) : x;
}

SPODNET_INLINE Vec three(const double* w, const Vec (&x)[3]) {
  return all(w[0]) * x[0] + all(w[1]) * x[1] + all(w[2]) * x[2];
}

static void rho_forward(const double* parameters, const glad::RhoInput& in, double* hidden,
                        double* Z_next) {
  const double *A = parameters, *a = A + 9, *B = a + 3, *b = B + 9, *c = b + 3;
  const std::size_t m = in.count;
  for (std::size_t e = 0; e < m; e += kLanes) {
    const Vec input[3] = {load(in.Theta + e), load(in.S + e), load(in.Z + e)};
    Vec x[3], h[3];
    for (int k = 0; k < 3; ++k) x[k] = tanh_of(three(A + 3 * k, input) + all(a[k]));
    for (int k = 0; k < 3; ++k) h[k] = tanh_of(three(B + 3 * k, x) + all(b[k]));
    const Vec rho = 0.5 + 0.5 * tanh_of(0.5 * (three(c, h) + all(c[3])));
    for (int k = 0; k < 3; ++k) store(hidden + k * m + e, x[k]);
    for (int k = 0; k < 3; ++k) store(hidden + (3 + k) * m + e, h[k]);
    store(hidden + 6 * m + e, rho);
    const Vec theta = input[0], shrunk = theta < 0.0 ? theta + rho : theta - rho;
    store(Z_next + e, abs_of(theta) <= rho ? zero() : shrunk);
  }
}

static void rho_backward(const double* parameters, const glad::RhoInput& in, const double* hidden,
                         const double* multiplicity, const double* d_Z_next, double* d_Theta,
                         double* d_Z, double* d_parameters) {
  const double *A = parameters, *B = A + 12, *c = B + 12;
  const std::size_t m = in.count;
  Vec sums[glad::kRhoSize] = {};
  Vec *d_A = sums, *d_a = d_A + 9, *d_B = d_a + 3, *d_b = d_B + 9, *d_c = d_b + 3;
  for (std::size_t e = 0; e < m; e += kLanes) {
    const Vec input[3] = {load(in.Theta + e), load(in.S + e), load(in.Z + e)};
    const Vec rho = load(hidden + 6 * m + e), count = load(multiplicity + e);
    const Vec d = only_where(abs_of(input[0]) > rho, load(d_Z_next + e));
    const Vec d_out = (input[0] < 0.0 ? d : -d) * rho * (1.0 - rho);
    Vec x[3], d_x[3] = {}, d_input[3] = {};
    for (int k = 0; k < 3; ++k) x[k] = load(hidden + k * m + e);
    d_c[3] += count * d_out;
    for (int k = 0; k < 3; ++k) {
      const Vec h = load(hidden + (3 + k) * m + e), d_pre = d_out * all(c[k]) * (1.0 - h * h);
      const Vec counted = count * d_pre;
      d_c[k] += count * d_out * h;
      d_b[k] += counted;
      for (int l = 0; l < 3; ++l) {
        d_B[3 * k + l] += counted * x[l];
        d_x[l] += all(B[3 * k + l]) * d_pre;
      }
    }
    for (int k = 0; k < 3; ++k) {
      const Vec d_pre = d_x[k] * (1.0 - x[k] * x[k]), counted = count * d_pre;
      d_a[k] += counted;
      for (int l = 0; l < 3; ++l) d_A[3 * k + l] += counted * input[l];
      d_input[0] += all(A[3 * k]) * d_pre;
      d_input[2] += all(A[3 * k + 2]) * d_pre;
    }
    store(d_Theta + e, d + d_input[0]);
    store(d_Z + e, d_input[2]);
  }
  for (std::size_t k = 0; k < glad::kRhoSize; ++k) d_parameters[k] += sum(sums[k]);
}

extern const glad::RhoKernels rho_table;
const glad::RhoKernels rho_table = {SPODNET_ISA_NAME, rho_forward, rho_backward};

}  // namespace SPODNET_ISA
}  // namespace spodnet
