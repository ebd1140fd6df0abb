#include "spodnet/models/small_mlp.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

// Inlined, so that a width known at compile time unrolls them.

/// out = A x + b for A (rows x cols).
[[gnu::always_inline]] inline void affine(std::size_t rows, std::size_t cols, const double* A,
                                          const double* b, const double* x, double* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    double s = b[r];
    for (std::size_t c = 0; c < cols; ++c) s += A[r * cols + c] * x[c];
    out[r] = s;
  }
}

/// d_x += A' d_out, d_A += d_out x', d_b += d_out.
[[gnu::always_inline]] inline void affine_backward(std::size_t rows, std::size_t cols,
                                                   const double* A, const double* x,
                                                   const double* d_out, double* d_x, double* d_A,
                                                   double* d_b) {
  for (std::size_t r = 0; r < rows; ++r) {
    d_b[r] += d_out[r];
    for (std::size_t c = 0; c < cols; ++c) {
      d_A[r * cols + c] += d_out[r] * x[c];
      d_x[c] += d_out[r] * A[r * cols + c];
    }
  }
}

}  // namespace

ElementwiseMlp::ElementwiseMlp(ParameterLayout& layout, const std::string& name, std::size_t hidden,
                               double kappa)
    : hidden_(hidden), kappa_(kappa) {
  const double bound = 1 / std::sqrt(double(hidden));
  B1_ = layout.add(name + ".0.weight", {hidden, 1}, 1.0);
  c1_ = layout.add(name + ".0.bias", {hidden}, 1.0);
  B2_ = layout.add(name + ".1.weight", {1, hidden}, bound);
  c2_ = layout.add(name + ".1.bias", {1}, bound);
}

ScalarMlp ElementwiseMlp::view(const double* weights) const {
  return {weights + B1_, weights + c1_, weights + B2_, weights[c2_], hidden_};
}

void ElementwiseMlp::forward(const double* weights, std::size_t n, const double* x,
                             double* lambda) const {
  kernels().abs_mlp(n, view(weights), kappa_, x, lambda);
}

void ElementwiseMlp::backward(const double* weights, std::size_t n, const double* x,
                              const double* d_lambda, double* d_x, double* d_weights) const {
  kernels().abs_mlp_backward(n, view(weights), kappa_, x, d_lambda, d_x, gradient(d_weights));
}

void ElementwiseMlp::threshold(const double* weights, std::size_t n, double scale, double* z,
                               double* u) const {
  kernels().mlp_threshold(n, view(weights), kappa_, scale, z, u);
}

double ElementwiseMlp::threshold_backward(const double* weights, std::size_t n, const double* z,
                                          const ThresholdAdjoint& adjoint, double* d_z,
                                          double* d_weights) const {
  return kernels().mlp_threshold_backward(n, view(weights), kappa_, z, adjoint, d_z,
                                          gradient(d_weights));
}

MarginMlp::MarginMlp(ParameterLayout& layout, const std::string& name, std::size_t hidden)
    : hidden_(hidden) {
  if (hidden > kMaxHidden)
    throw Error("the hidden width of " + name + " is at most " + std::to_string(kMaxHidden));
  const std::size_t sizes[4] = {kInputs, hidden, hidden, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    const double bound = 1 / std::sqrt(double(sizes[k]));
    const std::string part = name + "." + std::to_string(k);
    A_[k] = layout.add(part + ".weight", {sizes[k + 1], sizes[k]}, bound);
    b_[k] = layout.add(part + ".bias", {sizes[k + 1]}, bound);
  }
}

template <std::size_t H>
void MarginMlp::activate(const double* weights, const double* x, Activations& a) const {
  const std::size_t hidden = H > 0 ? H : hidden_;
  affine(hidden, kInputs, weights + A_[0], weights + b_[0], x, a.h1);
  for (std::size_t k = 0; k < hidden; ++k) a.h1[k] = std::max(a.h1[k], 0.0);
  affine(hidden, hidden, weights + A_[1], weights + b_[1], a.h1, a.h2);
  for (std::size_t k = 0; k < hidden; ++k) a.h2[k] = std::max(a.h2[k], 0.0);
  affine(1, hidden, weights + A_[2], weights + b_[2], a.h2, &a.out);
}

double MarginMlp::forward(const double* weights, const double x[kInputs]) const {
  Activations a;
  hidden_ == kUsual ? activate<kUsual>(weights, x, a) : activate<0>(weights, x, a);
  return std::abs(a.out);
}

template <std::size_t H>
void MarginMlp::backward_width(const double* weights, const double x[kInputs], double d_value,
                               double d_x[kInputs], double* d_weights) const {
  const std::size_t hidden = H > 0 ? H : hidden_;
  Activations a;
  activate<H>(weights, x, a);
  const double d_out = a.out > 0 ? d_value : a.out < 0 ? -d_value : 0.0;
  double d_h2[H > 0 ? H : kMaxHidden] = {}, d_h1[H > 0 ? H : kMaxHidden] = {};
  affine_backward(1, hidden, weights + A_[2], a.h2, &d_out, d_h2, d_weights + A_[2],
                  d_weights + b_[2]);
  for (std::size_t k = 0; k < hidden; ++k) d_h2[k] = a.h2[k] > 0 ? d_h2[k] : 0.0;
  affine_backward(hidden, hidden, weights + A_[1], a.h1, d_h2, d_h1, d_weights + A_[1],
                  d_weights + b_[1]);
  for (std::size_t k = 0; k < hidden; ++k) d_h1[k] = a.h1[k] > 0 ? d_h1[k] : 0.0;
  affine_backward(hidden, kInputs, weights + A_[0], x, d_h1, d_x, d_weights + A_[0],
                  d_weights + b_[0]);
}

void MarginMlp::backward(const double* weights, const double x[kInputs], double d_value,
                         double d_x[kInputs], double* d_weights) const {
  hidden_ == kUsual ? backward_width<kUsual>(weights, x, d_value, d_x, d_weights)
                    : backward_width<0>(weights, x, d_value, d_x, d_weights);
}

}  // namespace spodnet
