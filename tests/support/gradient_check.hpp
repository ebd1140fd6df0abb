#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "spodnet/core/random.hpp"

namespace spodnet::test {

struct GradientCheckOptions {
  int directions = 20;      ///< random directions, each of unit length
  bool coordinates = true;  ///< and every coordinate
  double step = 1e-5;       ///< of the central difference
  /// How often a direction that disagrees is tried again with a step ten times smaller: a kink of f
  /// (relu, abs, soft threshold) may lie within the larger one. A wrong gradient fails them all.
  int smaller_steps = 0;
  double least_slope = 0;  ///< slopes below it count as this large (f has rounding noise)
  std::uint64_t seed = 1;
};

/// Worst disagreement of g with central differences of f around x, over unit directions d:
/// |(f(x + h d) - f(x - h d))/(2h) - g.d| / max(|g.d|, ||g|| / 1000, least_slope).
inline double gradient_error(const std::function<double(std::span<const double>)>& f,
                             std::span<const double> x, std::span<const double> g,
                             const GradientCheckOptions& options = {}) {
  const std::size_t n = x.size(), coordinates = options.coordinates ? n : 0;
  double norm = 0;
  for (double gi : g) norm = std::hypot(norm, gi);
  RandomStream random(options.seed);
  std::vector<double> d(n), moved(n);
  const auto at = [&](double h) {
    for (std::size_t i = 0; i < n; ++i) moved[i] = x[i] + h * d[i];
    return f(moved);
  };
  double worst = 0;
  for (std::size_t trial = 0; trial < std::size_t(options.directions) + coordinates; ++trial) {
    double length = 0, slope = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = trial < coordinates ? double(i == trial) : random.normal();
      length = std::hypot(length, d[i]);
    }
    for (double& di : d) di /= length;
    for (std::size_t i = 0; i < n; ++i) slope += g[i] * d[i];
    const double scale = std::max({std::abs(slope), norm / 1000, options.least_slope});
    double error = std::numeric_limits<double>::infinity(), h = options.step;
    for (int k = 0; k <= options.smaller_steps && error > 1e-8; ++k, h /= 10) {
      const double difference = (at(h) - at(-h)) / (2 * h);
      error = std::min(error, std::abs(difference - slope) / (scale > 0 ? scale : 1));
    }
    worst = std::max(worst, error);  // infinite when every difference was NaN
  }
  return worst;
}

}  // namespace spodnet::test
