#include "spodnet/models/glad_networks.hpp"

#include <cmath>

namespace spodnet::glad {
namespace {

void add_linear(ParameterLayout& layout, const std::string& name, std::size_t out, std::size_t in) {
  const double bound = 1.0 / std::sqrt(double(in));
  layout.add(name + ".weight", {out, in}, bound);
  layout.add(name + ".bias", {out}, bound);
}

double sigmoid(double x) { return 0.5 + 0.5 * std::tanh(0.5 * x); }

}  // namespace

ParameterLayout layout() {
  ParameterLayout layout;
  add_linear(layout, "rho.0", kWidth, 3);
  add_linear(layout, "rho.1", kWidth, kWidth);
  add_linear(layout, "rho.2", 1, kWidth);
  add_linear(layout, "alpha.0", kWidth, 2);
  add_linear(layout, "alpha.1", 1, kWidth);
  layout.add_values("init_offset", {1}, {0.1});
  return layout;
}

AlphaTape alpha_forward(const double* parameters, double distance2, double alpha_before) {
  const double* A = parameters + kAlphaStart;  // 3 x 2
  const double* b = A + 2 * kWidth;
  const double* c = b + kWidth;
  AlphaTape tape{distance2, alpha_before, {}, 0};
  double out = c[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) {
    tape.hidden[k] = std::tanh(A[2 * k] * distance2 + A[2 * k + 1] * alpha_before + b[k]);
    out += c[k] * tape.hidden[k];
  }
  tape.alpha = sigmoid(out);
  return tape;
}

void alpha_backward(const double* parameters, const AlphaTape& tape, double d_alpha,
                    double* d_parameters) {
  const double* c = parameters + kAlphaStart + 3 * kWidth;
  double* d_A = d_parameters + kAlphaStart;
  double* d_b = d_A + 2 * kWidth;
  double* d_c = d_b + kWidth;
  const double d_out = d_alpha * tape.alpha * (1 - tape.alpha);
  for (std::size_t k = 0; k < kWidth; ++k) {
    const double d_pre = d_out * c[k] * (1 - tape.hidden[k] * tape.hidden[k]);
    d_A[2 * k] += d_pre * tape.distance2;
    d_A[2 * k + 1] += d_pre * tape.alpha_before;
    d_b[k] += d_pre;
    d_c[k] += d_out * tape.hidden[k];
  }
  d_c[kWidth] += d_out;
}

}  // namespace spodnet::glad
