#pragma once

#include <cmath>
#include <string>

namespace spodnet::figures {

// Rough seconds on one core, for progress and the order of work alone: no result depends on them.

/// One training step of ten matrices; fitted to p = 20 ... 100 of bench/RESULTS.md.
inline double step_seconds(const std::string& model, std::size_t p, int layers) {
  const double x = double(p) / 100;
  if (model == "pnp") return 11.4e-3 * std::pow(x, 2.3) * layers;
  if (model == "e2e") return 31.0e-3 * std::pow(x, 2.3) * layers;
  if (model == "glad") return 5.3e-3 * std::pow(x, 2.1) * layers;
  if (model == "ubg-any") return 9.0e-3 * std::pow(x, 1.85) * layers;
  if (model == "pnp-any") return 1.7e-2 * std::pow(x, 1.85) * layers;
  return 5.7e-3 * std::pow(x, 2.6) * layers;
}

/// One estimate with its scores.
inline double estimate_seconds(std::size_t p) { return 2e-3 * std::pow(double(p) / 100, 2.5); }

/// One cross-validated graphical lasso.
inline double glasso_cv_seconds(std::size_t p, std::size_t n) {
  return (0.12 + 1e-4 * double(n)) * std::pow(double(p) / 100, 2.5);
}

/// One matrix of a data set: its samples and their covariance.
inline double data_seconds(std::size_t p, std::size_t n) {
  return 1e-5 * double(n) * double(p) / 100 * (1 + double(p) / 50);
}

}  // namespace spodnet::figures
