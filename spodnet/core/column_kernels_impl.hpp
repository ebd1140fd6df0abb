#pragma once
// The O(p) work of one column step. Part of kernels_impl.hpp: one copy per instruction set.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/product_kernels_impl.hpp"

namespace spodnet {
namespace SPODNET_ISA {

static double schur_product(std::size_t n, std::size_t i, const double* w, double w_22,
                            const double* x, const double* Wx, double* out) {
  const Vec factor = all(-dot(n, w, x) / w_22);
  Vec quadratic = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec h = load(Wx + j) + factor * load(w + j);
    quadratic += h * load(x + j);
    store(out + j, h);
  }
  out[i] = 0;
  return sum(quadratic);
}

static void relu(std::size_t n, double* h) {
  for (std::size_t j = 0; j < n; j += kLanes)
    store(h + j, only_where(~(load(h + j) <= 0.0), load(h + j)));
}

static void relu_backward(std::size_t n, const double* h, double* d) {
  for (std::size_t j = 0; j < n; j += kLanes)
    store(d + j, only_where(load(h + j) > 0.0, load(d + j)));
}

static void gradient_step(std::size_t n, double gamma, const double* theta, const double* s,
                          const double* w, double* z) {
  const Vec g = all(-gamma);
  for (std::size_t j = 0; j < n; j += kLanes)
    store(z + j, load(theta + j) + g * (load(s + j) - load(w + j)));
}

static double gradient_step_backward(std::size_t n, double gamma, const double* s, const double* w,
                                     const double* d_z, double* d_theta, double* d_w) {
  const Vec g = all(gamma);
  Vec even = zero(), odd = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec d = load(d_z + j), term = d * (load(s + j) - load(w + j));
    (j / kLanes % 2 == 0 ? even : odd) += term;
    store(d_theta + j, load(d_theta + j) + d);
    store(d_w + j, load(d_w + j) + g * d);
  }
  return -sum(even + odd);
}

static void difference(std::size_t n, double factor, const double* x, const double* y, double* out,
                       double* squares) {
  Vec d2 = zero(), y2 = zero();
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const Vec yj = load(y + j), d = load(x + j) - yj;
    d2 += d * d;
    y2 += yj * yj;
    store(out + j, factor * d);
  }
  squares[0] = sum(d2);
  squares[1] = sum(y2);
  for (; j < n; ++j) {
    const double d = x[j] - y[j];
    squares[0] += d * d;
    squares[1] += y[j] * y[j];
    out[j] = factor * d;
  }
}

static void soft_threshold(std::size_t n, const double* z, const double* lambda, double* u) {
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec zj = load(z + j), lj = load(lambda + j);
    const Vec size = abs_of(zj) - lj;
    store(u + j, only_where(~(size <= 0.0), flip_where_negative(size, zj)));
  }
}

static void soft_threshold_backward(std::size_t n, const double* u, const double* g, double d_q,
                                    const double* y, double* d_z, double* d_lambda) {
  const Vec two = all(2.0), two_d_q = all(2.0 * d_q);
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec uj = load(u + j);
    const Vec d = only_where(uj != 0.0, two * load(g + j) + two_d_q * load(y + j));
    store(d_z + j, d);
    store(d_lambda + j, -flip_where_negative(d, uj));
  }
}

#define SPODNET_UNROLL _Pragma("GCC unroll 8")  // arrays of vectors then stay in registers

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
  for (std::size_t k = 0; k < mlp.hidden; ++k) {
    const Vec pre = all(mlp.B1[k]) * x + all(mlp.c1[k]);
    e += all(mlp.B2[k]) * only_where(~(pre <= 0.0), pre);
  }
  return e;
}

/// All U hidden units at once.
template <int U>
SPODNET_INLINE void abs_mlp_width(std::size_t n, const ScalarMlp& mlp, double kappa,
                                  const double* x, double* lambda) {
  const Units<U> units = Units<U>::make(mlp, 0);
  const Vec c2 = all(mlp.c2), scale = all(kappa);
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec xj = load(x + j);
    Vec e = c2;
    SPODNET_UNROLL
    for (int k = 0; k < U; ++k) {
      const Vec pre = units.B1[k] * xj + units.c1[k];
      e += units.B2[k] * only_where(~(pre <= 0.0), pre);
    }
    store(lambda + j, scale * abs_of(e));
  }
}

static void abs_mlp(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                    double* lambda) {
  if (mlp.hidden == 5)
    abs_mlp_width<5>(n, mlp, kappa, x, lambda);
  else
    for (std::size_t j = 0; j < n; j += kLanes)
      store(lambda + j, all(kappa) * abs_of(mlp_value(mlp, load(x + j))));
}

/// Hidden units k0 .. k0 + U - 1; kAll: there are no others.
template <int U, bool kAll>
SPODNET_INLINE void abs_mlp_backward_units(std::size_t k0, std::size_t n, const ScalarMlp& mlp,
                                           double kappa, const double* x, const double* d_lambda,
                                           double* d_x, const ScalarMlpGradient& grad) {
  const Units<U> units = Units<U>::make(mlp, k0);
  const Vec c2 = all(mlp.c2), scale = all(kappa);
  Vec E[U], N[U], total = zero();
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
    const Vec d_e = only_where(e != 0.0, flip_where_negative(scale * load(d_lambda + j), e));
    Vec slope = zero();
    SPODNET_UNROLL
    for (int k = 0; k < U; ++k) {
      E[k] = add_where(on[k], E[k], d_e);
      N[k] = add_where(on[k], N[k], d_e * xj);
      slope = add_where(on[k], slope, units.B1[k] * units.B2[k]);
    }
    total += d_e;
    store(d_x + j, load(d_x + j) + d_e * slope);
  }
  SPODNET_UNROLL
  for (int k = 0; k < U; ++k) {
    const double e = sum(E[k]), s = sum(N[k]);
    grad.d_B1[k0 + k] += mlp.B2[k0 + k] * s;
    grad.d_c1[k0 + k] += mlp.B2[k0 + k] * e;
    grad.d_B2[k0 + k] += mlp.B1[k0 + k] * s + mlp.c1[k0 + k] * e;
  }
  if (k0 == 0) *grad.d_c2 += sum(total);
}

static void abs_mlp_backward(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                             const double* d_lambda, double* d_x, const ScalarMlpGradient& grad) {
  if (mlp.hidden == 5)
    abs_mlp_backward_units<5, true>(0, n, mlp, kappa, x, d_lambda, d_x, grad);
  else
    for (std::size_t k = 0; k < mlp.hidden; ++k)
      abs_mlp_backward_units<1, false>(k, n, mlp, kappa, x, d_lambda, d_x, grad);
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
