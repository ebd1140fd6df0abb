#include "spodnet/data/bivariate_normal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace spodnet {
namespace {

/// Half of the nodes and weights of the Gauss-Legendre rule with 20 nodes on [-1, 1].
constexpr double kNodes[10] = {0.0765265211334973, 0.2277858511416451, 0.3737060887154195,
                               0.5108670019508271, 0.6360536807265150, 0.7463319064601508,
                               0.8391169718222188, 0.9122344282513259, 0.9639719272779138,
                               0.9931285991850949};
constexpr double kNodeWeights[10] = {0.1527533871307258, 0.1491729864726037, 0.1420961093183820,
                                     0.1316886384491766, 0.1181945319615184, 0.1019301198172404,
                                     0.0832767415767048, 0.0626720483341091, 0.0406014298003869,
                                     0.0176140071391521};

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

BivariateNormal::BivariateNormal(double rho) : rho_(rho) {
  assert(std::abs(rho) <= 0.9999);
  const double end = std::asin(rho), sign = rho < 0 ? -1 : 1, first = std::asin(0.9);
  add_panel(0, sign * std::min(std::abs(end), first));
  for (double a = first; a < std::abs(end);) {
    const double b = std::min(std::abs(end), a + (std::numbers::pi / 2 - a) / 2);
    add_panel(sign * a, sign * b);
    a = b;
  }
}

void BivariateNormal::add_panel(double a, double b) {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  for (int node = 0; node < 10; ++node)
    for (const double side : {-1.0, 1.0}) {
      const double s = std::sin(middle + side * half * kNodes[node]);
      nodes_[count_++] = {s, 1 / (2 * (1 - s * s)),
                          half * kNodeWeights[node] / (2 * std::numbers::pi)};
    }
}

double BivariateNormal::cdf(double h, double k) const {
  if (std::isinf(h)) return h < 0 ? 0 : normal_cdf(k);
  if (std::isinf(k)) return k < 0 ? 0 : normal_cdf(h);
  const double squares = h * h + k * k, twice = 2 * h * k;
  double sum = 0;
  for (std::size_t n = 0; n < count_; ++n)
    sum += nodes_[n].weight * std::exp((twice * nodes_[n].sine - squares) * nodes_[n].factor);
  return normal_cdf(h) * normal_cdf(k) + sum;
}

double BivariateNormal::density(double h, double k) const {
  if (std::isinf(h) || std::isinf(k)) return 0;
  const double left = 1 - rho_ * rho_;
  return std::exp(-(h * h + k * k - 2 * rho_ * h * k) / (2 * left)) /
         (2 * std::numbers::pi * std::sqrt(left));
}

}  // namespace spodnet
