#pragma once
// The O(p) work of one column step. Part of kernels_impl.hpp: one copy per instruction set.
#include "spodnet/core/formulas.hpp"
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/product_kernels_impl.hpp"

namespace spodnet {
namespace SPODNET_ISA {

static double schur_product(std::size_t n, std::size_t i, const double* w, double factor,
                            const double* x, const double* Wx, double* out) {
  const Vec f = all(factor);
  Vec quadratic = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec h = formulas::schur_product(VecArithmetic{}, load(Wx + j), load(w + j), f);
    quadratic += h * load(x + j);
    store(out + j, h);
  }
  out[i] = 0;
  return sum(quadratic);
}

static void relu(std::size_t n, double* h) {
  for (std::size_t j = 0; j < n; j += kLanes) store(h + j, relu_of(load(h + j)));
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
                                     const double* d_z, bool fresh, double* d_theta, double* d_w) {
  const Vec g = all(gamma);
  const auto before = [fresh](const double* x) { return fresh ? zero() : load(x); };
  Vec even = zero(), odd = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec d = load(d_z + j), term = d * (load(s + j) - load(w + j));
    (j / kLanes % 2 == 0 ? even : odd) += term;
    store(d_theta + j, before(d_theta + j) + d);
    store(d_w + j, before(d_w + j) + g * d);
  }
  return -sum(even + odd);
}

static void difference(std::size_t n, double factor, const double* x, const double* y, double* out,
                       double* squares) {
  Vec d2 = zero(), y2 = zero();
  const auto add = [&](Vec d, Vec yj) {
    d2 += d * d;
    y2 += yj * yj;
    return factor * d;
  };
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const Vec yj = load(y + j);
    store(out + j, add(load(x + j) - yj, yj));
  }
  const std::size_t left = n - j;
  if (left > 0) {
    const Vec yj = load_first(y + j, left);
    store_first(out + j, left, add(load_first(x + j, left) - yj, yj));
  }
  squares[0] = sum(d2);
  squares[1] = sum(y2);
}

static void soft_threshold(std::size_t n, const double* z, const double* lambda, double* u) {
  for (std::size_t j = 0; j < n; j += kLanes)
    store(u + j, formulas::soft_threshold(VecArithmetic{}, load(z + j), load(lambda + j)));
}

static void soft_threshold_backward(std::size_t n, const double* u, const double* g, double d_q,
                                    const double* y, double* d_z, double* d_lambda) {
  const Vec two = all(2.0), two_d_q = all(2.0 * d_q);
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec uj = load(u + j);
    const Vec d = only_where(uj != 0.0, two * load(g + j) + two_d_q * load(y + j));
    store(d_z + j, d);
    store(d_lambda + j, formulas::soft_threshold_backward(VecArithmetic{}, d, uj));
  }
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
