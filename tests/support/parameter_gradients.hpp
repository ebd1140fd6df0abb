#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "spodnet/models/model.hpp"
#include "support/gradient_check.hpp"

namespace spodnet::test {

/// `g` is the gradient of `loss`, a function of the model's parameters: compared with differences
/// along random directions, for each block of parameters.
inline void expect_parameter_gradients(Model& model, const std::vector<double>& g, double limit,
                                       const std::function<double()>& loss) {
  std::vector<double>& values = model.parameters().values;
  const std::vector<double> x = values;
  double norm = 0;
  for (const double gi : g) norm = std::hypot(norm, gi);
  for (const ParameterView& view : model.parameters().layout.views()) {
    const auto f = [&](std::span<const double> part) {
      std::copy(part.begin(), part.end(), values.begin() + std::ptrdiff_t(view.offset));
      const double value = loss();
      values = x;
      return value;
    };
    const GradientCheckOptions options{.directions = 6,
                                       .coordinates = false,
                                       .step = 1e-4,
                                       .smaller_steps = 3,
                                       .least_slope = 1e-4 * norm};
    EXPECT_LT(gradient_error(f, std::span(x).subspan(view.offset, view.size),
                             std::span(g).subspan(view.offset, view.size), options),
              limit)
        << view.name;
  }
}

}  // namespace spodnet::test
