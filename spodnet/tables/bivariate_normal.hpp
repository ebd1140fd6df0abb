#pragma once

#include <span>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/tables/level_kernels.hpp"

namespace spodnet {

/// Phi(x), the standard normal distribution; Phi(+-infinity) is 1 or 0.
double normal_cdf(double x);

/// phi(x), its density; 0 at infinity.
double normal_density(double x);

/// P(X <= h, Y <= k) of standard normal X, Y of correlation rho (at most 0.9999 in size) at all
/// pairs of some finite h and k, and its derivatives in rho. A grid walks from rho to rho by
/// Plackett's identity, dP/drho = phi_2(h, k; rho) or, with rho = sin t,
///   dP/dt = exp(-(h^2 + k^2 - 2 h k sin t) / (2 cos^2 t)) / (2 pi),
/// by Gauss-Legendre on panels that are short beside their distance from cos t = 0: to about 1e-12.
/// A short step costs 4 exponentials a pair, the way from 0 to rho = 0.5 ten.
class BivariateNormal {
 public:
  BivariateNormal() = default;
  BivariateNormal(const std::vector<double>& h, const std::vector<double>& k);

  /// At rho = 0, of other h and k, with Phi_h = Phi(h) and Phi_k; memory is used again. Pair (a, b)
  /// has the index a + b * h.size(). Derivatives are there from the first move on.
  void start(std::span<const double> h, std::span<const double> Phi_h, std::span<const double> k,
             std::span<const double> Phi_k);

  void move_to(double rho);

  auto P() const { return P_.head(pairs_); }
  auto d_P() const { return d_P_.head(pairs_); }    ///< phi_2
  auto dd_P() const { return dd_P_.head(pairs_); }  ///< d phi_2 / d rho

 private:
  void add_panel(double from, double to);
  void set_derivatives(double rho);

  const LevelKernels* run_ = nullptr;
  double t_ = 0;                      ///< asin(rho)
  Eigen::Index pairs_ = 0;            ///< what follows is padded with zeros
  Eigen::ArrayXd squares_, product_;  ///< h^2 + k^2, h k
  Eigen::ArrayXd P_, d_P_, dd_P_;
};

}  // namespace spodnet
