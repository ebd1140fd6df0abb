#pragma once
// Thresholds by a perceptron of one number. Part of kernels_impl.hpp: one copy per instruction set.
#include "spodnet/core/column_kernels_impl.hpp"
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/product_kernels_impl.hpp"

namespace spodnet {
namespace SPODNET_ISA {

#define SPODNET_UNROLL _Pragma("GCC unroll 8")  // arrays of vectors then stay in registers

constexpr int kUsualUnits = 5;  // the paper's width, all its units at once

/// Hidden units k0 .. k0 + U - 1, their weights in every lane.
template <int U>
struct Units {
  Vec B1[U], c1[U], B2[U];
  SPODNET_INLINE Units make(const ScalarMlp& mlp, std::size_t k0) {
    Units units;
    SPODNET_UNROLL
    for (int k = 0; k < U; ++k) {
      units.B1[k] = all(mlp.B1[k0 + k]);
      units.c1[k] = all(mlp.c1[k0 + k]);
      units.B2[k] = all(mlp.B2[k0 + k]);
    }
    return units;
  }
};

static Vec mlp_value(const ScalarMlp& mlp, Vec x) {
  Vec e = all(mlp.c2);
  for (std::size_t k = 0; k < mlp.hidden; ++k)
    e += all(mlp.B2[k]) * relu_of(all(mlp.B1[k]) * x + all(mlp.c1[k]));
  return e;
}

/// use(j, e(x(j))) for all entries j, the usual width with its weights in registers.
template <class Input, class Use>
SPODNET_INLINE void for_each_value(std::size_t n, const ScalarMlp& mlp, Input x, Use use) {
  if (mlp.hidden != kUsualUnits) {
    for (std::size_t j = 0; j < n; j += kLanes) use(j, mlp_value(mlp, x(j)));
    return;
  }
  const Units<kUsualUnits> units = Units<kUsualUnits>::make(mlp, 0);
  const Vec c2 = all(mlp.c2);
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec xj = x(j);
    Vec e = c2;
    SPODNET_UNROLL
    for (int k = 0; k < kUsualUnits; ++k)
      e += units.B2[k] * relu_of(units.B1[k] * xj + units.c1[k]);
    use(j, e);
  }
}

static void abs_mlp(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                    double* lambda) {
  const Vec scale = all(kappa);
  for_each_value(
      n, mlp, [x](std::size_t j) { return load(x + j); },
      [=](std::size_t j, Vec e) { store(lambda + j, scale * abs_of(e)); });
}

static void mlp_threshold(std::size_t n, const ScalarMlp& mlp, double kappa, double scale,
                          double* z, double* u) {
  const Vec factor = all(kappa), z_factor = all(scale);
  const auto scaled = [=](std::size_t j) { return z_factor * load(z + j); };
  for_each_value(n, mlp, scaled, [=](std::size_t j, Vec e) {
    const Vec zj = scaled(j);
    store(z + j, zj);
    store(u + j, formulas::soft_threshold(VecArithmetic{}, zj, factor * abs_of(e)));
  });
}

/// sums[k] = the sum of v[k].
template <int N>
SPODNET_INLINE void store_all_sums(const Vec (&v)[N], double* sums) {
  int k = 0;
#if SPODNET_VECTOR_BYTES == 64
  SPODNET_UNROLL
  for (; k + 4 <= N; k += 4) store_four_sums(v + k, sums + k);
#endif
  SPODNET_UNROLL
  for (; k < N; ++k) sums[k] = sum(v[k]);
}

/// Hidden units k0 .. k0 + U - 1; kAll: there are no others. d_lambda(j) is read, and use(j, d_x)
/// gets what these units add to the adjoint of x.
template <int U, bool kAll, class Adjoint, class Use>
SPODNET_INLINE void mlp_backward_units(std::size_t k0, std::size_t n, const ScalarMlp& mlp,
                                       double kappa, const double* x, Adjoint d_lambda, Use use,
                                       const ScalarMlpGradient& grad) {
  const Units<U> units = Units<U>::make(mlp, k0);
  const Vec c2 = all(mlp.c2), scale = all(kappa);
  Vec E[U], N[U], total = zero();  // per unit the sums of d_e and d_e x where it is active
  SPODNET_UNROLL
  for (int k = 0; k < U; ++k) E[k] = N[k] = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec xj = load(x + j);
    Mask on[U];  // which units are active
    Vec e = kAll ? c2 : mlp_value(mlp, xj);
    SPODNET_UNROLL
    for (int k = 0; k < U; ++k) {
      const Vec pre = units.B1[k] * xj + units.c1[k];
      on[k] = pre > 0.0;
      if (kAll) e = add_where(on[k], e, units.B2[k] * pre);
    }
    const Vec d_e = only_where(e != 0.0, flip_where_negative(scale * d_lambda(j), e));
    const Vec d_e_x = apart(d_e * xj);  // one product for all units
    Vec slope = zero();
    SPODNET_UNROLL
    for (int k = 0; k < U; ++k) {
      E[k] = add_where(on[k], E[k], d_e);
      N[k] = add_where(on[k], N[k], d_e_x);
      slope = add_where(on[k], slope, units.B1[k] * units.B2[k]);
    }
    total += d_e;
    use(j, d_e * slope);
  }
  double e[U], s[U];
  store_all_sums(E, e);
  store_all_sums(N, s);
  SPODNET_UNROLL
  for (int k = 0; k < U; ++k) {
    grad.d_B1[k0 + k] += mlp.B2[k0 + k] * s[k];
    grad.d_c1[k0 + k] += mlp.B2[k0 + k] * e[k];
    grad.d_B2[k0 + k] += mlp.B1[k0 + k] * s[k] + mlp.c1[k0 + k] * e[k];
  }
  if (k0 == 0) *grad.d_c2 += sum(total);
}

static void abs_mlp_backward(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                             const double* d_lambda, double* d_x, const ScalarMlpGradient& grad) {
  const auto read = [=](std::size_t j) { return load(d_lambda + j); };
  const auto add = [=](std::size_t j, Vec d) { store(d_x + j, load(d_x + j) + d); };
  if (mlp.hidden == kUsualUnits)
    mlp_backward_units<kUsualUnits, true>(0, n, mlp, kappa, x, read, add, grad);
  else
    for (std::size_t k = 0; k < mlp.hidden; ++k)
      mlp_backward_units<1, false>(k, n, mlp, kappa, x, read, add, grad);
}

static double mlp_threshold_backward(std::size_t n, const ScalarMlp& mlp, double kappa,
                                     const double* z, const ThresholdAdjoint& adjoint, double* d_z,
                                     const ScalarMlpGradient& grad) {
  const Vec two = all(2.0), two_d_q = all(2.0 * adjoint.d_q);
  const double *u = adjoint.u, *g = adjoint.g, *y = adjoint.y;
  const auto d_u = [=](std::size_t j) {
    return only_where(load(u + j) != 0.0, two * load(g + j) + two_d_q * load(y + j));
  };
  const auto d_lambda = [=](std::size_t j) {
    return formulas::soft_threshold_backward(VecArithmetic{}, d_u(j), load(u + j));
  };
  if (mlp.hidden == kUsualUnits) {
    Vec product = zero();
    const auto set = [&](std::size_t j, Vec d) {
      d += d_u(j);
      store(d_z + j, d);
      product += d * load(z + j);
    };
    mlp_backward_units<kUsualUnits, true>(0, n, mlp, kappa, z, d_lambda, set, grad);
    return sum(product);
  }
  for (std::size_t j = 0; j < n; j += kLanes) store(d_z + j, d_u(j));
  const auto add = [=](std::size_t j, Vec d) { store(d_z + j, load(d_z + j) + d); };
  for (std::size_t k = 0; k < mlp.hidden; ++k)
    mlp_backward_units<1, false>(k, n, mlp, kappa, z, d_lambda, add, grad);
  return dot(n, d_z, z);
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
