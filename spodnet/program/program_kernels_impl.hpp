// The kernels of program_kernels.hpp, included once per instruction set (core/kernel_vectors.hpp).
#include "spodnet/core/strided_product_impl.hpp"
#include "spodnet/program/point_kernels_impl.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

static double total(long n, const double* x) {
  Vec u = zero(), v = zero();
  long k = 0;
  for (; k + 2 * kLane <= n; k += 2 * kLane) {
    u += load(x + k);
    v += load(x + k + kLane);
  }
  double s = sum(u + v);
  for (; k < n; ++k) s += x[k];
  return s;
}

/// NaN where there is one; n >= 1.
static double largest(long n, const double* x) {
  double m = x[0];
  long k = 1;
  if (n >= kLane) {
    Vec u = load(x);
    for (k = kLane; k + kLane <= n; k += kLane) u = max_of(load(x + k), u);
    m = u[0];
    for (long l = 1; l < kLane; ++l) m = u[l] > m || u[l] != u[l] ? u[l] : m;
  }
  for (; k < n; ++k) m = x[k] > m || x[k] != x[k] ? x[k] : m;
  return m;
}

extern const ProgramKernels program_table;
const ProgramKernels program_table = {
    SPODNET_ISA_NAME,
    {point_add,  point_sub,     point_mul,      point_div,         point_max, point_min,
     point_gt,   point_ge,      point_lt,       point_le,          point_eq,  point_ne,
     point_neg,  point_abs,     point_sign,     point_relu,        point_exp, point_log,
     point_tanh, point_sigmoid, point_sqrt,     point_recip,       point_erf, point_where,
     point_gate, point_mul_add, point_add_relu, point_mul_add_relu},
    strided_product,
    total,
    largest};

}  // namespace SPODNET_ISA
}  // namespace spodnet
