#pragma once

#include <algorithm>
#include <cmath>

#include "spodnet/layer/rule.hpp"

namespace spodnet {

/// How much a network may deviate from maximum likelihood: 1 up to n = 2 p, then 2 p / n, so that
/// whatever its weights the deviation vanishes as n / p grows.
inline double fading(double n, std::size_t p) { return std::min(1.0, 2 * double(p) / n); }

/// exp(L phi(x / L)): like exp near 0 and never beyond exp(+-L).
inline double limited_exp(double x, double L) { return std::exp(x * L / (L + std::abs(x))); }
/// d of L phi(x / L), the exponent above.
inline double limited_slope(double x, double L) {
  const double t = L / (L + std::abs(x));
  return t * t;
}

/// The unit of what is learned of an entry, in units of m_j (m_j^2 = Theta_jj theta_22, at least 1
/// on the scale of correlations): c = tau / sqrt(1 - rho + rho m_j^2), rho = 1 - tau / 2. Where
/// variables are hardly correlated m_j is near 1, and c m_j is a partial correlation. Among
/// collinear ones m_j is large, a deviation of one partial correlation costs about m_j^2 in
/// likelihood, and c m_j stays below tau sqrt(2): an entry counts as it is, and errors do not grow
/// from column to column.
class FadingUnit {
 public:
  explicit FadingUnit(double tau) : tau_(tau), rho_(1 - tau / 2) {}

  double operator()(double m2) const { return tau_ / std::sqrt(1 - rho_ + rho_ * m2); }
  /// d unit / d m^2.
  double slope(double m2) const {
    const double x = 1 - rho_ + rho_ * m2;
    return -0.5 * tau_ * rho_ / (x * std::sqrt(x));
  }

 private:
  double tau_, rho_;
};

}  // namespace spodnet
