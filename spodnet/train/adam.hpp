#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
};

/// Moments of the gradient, one per parameter, and the number of steps taken.
struct AdamState {
  std::vector<double> m, v;
  std::uint64_t step = 0;

  AdamState() = default;
  explicit AdamState(std::size_t size) : m(size), v(size) {}
};

/// One update, in place (Kingma & Ba; PyTorch's order of operations):
///   m <- m + (1 - beta1)(g - m),  v <- beta2 v + (1 - beta2) g^2,
///   x <- x - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps).
inline void adam_step(std::span<double> x, std::span<const double> g, double lr, AdamState& state,
                      const AdamOptions& options = {}) {
  const double t = double(++state.step);
  const double step_size = lr / (1 - std::pow(options.beta1, t));
  const double root = std::sqrt(1 - std::pow(options.beta2, t));
  kernels().adam(x.size(), g.data(), options.beta1, options.beta2, step_size, root, options.eps,
                 x.data(), state.m.data(), state.v.data());
}

}  // namespace spodnet
