#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "spodnet/core/random.hpp"

namespace spodnet::test {

struct GradientCheckOptions {
  int directions = 20;  ///< random directions, each of unit length
  double step = 1e-5;   ///< of the central difference
  std::uint64_t seed = 1;
};

/// Worst disagreement of g with central differences of f around x, over random directions d and
/// over each coordinate: |(f(x + h d) - f(x - h d))/(2h) - g.d| / max(|g.d|, ||g|| / 1000).
inline double gradient_error(const std::function<double(std::span<const double>)>& f,
                             std::span<const double> x, std::span<const double> g,
                             const GradientCheckOptions& options = {}) {
  const std::size_t n = x.size();
  double norm = 0;
  for (double gi : g) norm += gi * gi;
  norm = std::sqrt(norm);
  RandomStream random(options.seed);
  double worst = 0;
  std::vector<double> d(n), moved(n);
  for (std::size_t trial = 0; trial < std::size_t(options.directions) + n; ++trial) {
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = trial < n ? double(i == trial) : random.normal();
      length += d[i] * d[i];
    }
    double slope = 0, sides[2];
    for (double& di : d) di /= std::sqrt(length);
    for (std::size_t i = 0; i < n; ++i) slope += g[i] * d[i];
    for (int side : {0, 1}) {
      const double h = side == 0 ? options.step : -options.step;
      for (std::size_t i = 0; i < n; ++i) moved[i] = x[i] + h * d[i];
      sides[side] = f(moved);
    }
    const double difference = (sides[0] - sides[1]) / (2 * options.step);
    const double scale = std::max(std::abs(slope), norm / 1000);
    const double error = std::abs(difference - slope) / (scale > 0 ? scale : 1);
    worst = error <= worst ? worst : error;  // a NaN wins
  }
  return worst;
}

}  // namespace spodnet::test
