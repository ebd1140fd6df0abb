#pragma once

#include <array>
#include <cstddef>

namespace spodnet {

/// Phi(x), the standard normal distribution; Phi(+-infinity) is 1 or 0.
double normal_cdf(double x);

/// phi(x), its density; 0 at infinity.
double normal_density(double x);

/// Standard normal X, Y of correlation rho, at most 0.9999 in size.
class BivariateNormal {
 public:
  explicit BivariateNormal(double rho);

  /// P(X <= h, Y <= k); h, k may be infinite. By Plackett's identity d/drho P = phi_2(h, k; rho):
  ///   P = Phi(h) Phi(k) + 1/(2 pi) int_0^asin(rho) exp(-(h^2 + k^2 - 2 h k sin t)/(2 cos^2 t)) dt
  /// by Gauss-Legendre with 20 nodes up to |rho| = 0.9 and panels that shrink with cos t beyond: to
  /// about 1e-10.
  double cdf(double h, double k) const;

  /// phi_2(h, k; rho), their density; 0 at infinity.
  double density(double h, double k) const;

 private:
  void add_panel(double a, double b);

  struct Node {
    double sine, factor, weight;  ///< sin t, 1 / (2 cos^2 t), weight / (2 pi)
  };
  double rho_;
  std::size_t count_ = 0;
  std::array<Node, 20 * 12> nodes_;
};

}  // namespace spodnet
