#include "spodnet/data/bivariate_normal.hpp"

#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

namespace spodnet {
namespace {

/// Half of a Gauss-Legendre rule on [-1, 1], which is even.
struct Node {
  double at, weight;
};
constexpr Node kFour[] = {{0.3399810435848563, 0.6521451548625461},
                          {0.8611363115940526, 0.3478548451374538}};
constexpr Node kTen[] = {{0.1488743389816312, 0.2955242247147529},
                         {0.4333953941292472, 0.2692667193099963},
                         {0.6794095682990244, 0.2190863625159820},
                         {0.8650633666889845, 0.1494513491505806},
                         {0.9739065285171717, 0.0666713443086881}};

// Distance of a panel's middle from the singularity, in halves of the panel, from which a rule is
// exact to rounding.
constexpr double kFarForTen = 5, kFarForFour = 30;

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

BivariateNormal::BivariateNormal(const std::vector<double>& h, const std::vector<double>& k)
    : squares_(Eigen::Index(h.size() * k.size())), product_(squares_.size()), P_(squares_.size()) {
  Eigen::Index pair = 0;
  for (const double y : k) {
    const double below = normal_cdf(y);
    for (const double x : h) {
      squares_[pair] = x * x + y * y;
      product_[pair] = x * y;
      P_[pair++] = below * normal_cdf(x);
    }
  }
  set_derivatives(0);
}

void BivariateNormal::move_to(double rho) {
  assert(std::abs(rho) <= 0.9999);
  const double t = std::asin(rho);
  add_panel(t_, t);
  t_ = t;
  set_derivatives(rho);
}

void BivariateNormal::add_panel(double from, double to) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  const double far = (std::numbers::pi / 2 - std::abs(middle)) / std::abs(half);
  if (half == 0) return;
  if (far < kFarForTen) {
    add_panel(from, middle);
    return add_panel(middle, to);
  }
  for (const auto& [at, weight] : far < kFarForFour ? std::span<const Node>(kTen) : kFour)
    for (const double side : {-1.0, 1.0}) {
      const double s = std::sin(middle + side * half * at);
      P_ += (half * weight / (2 * std::numbers::pi)) *
            ((product_ * (2 * s) - squares_) * (0.5 / (1 - s * s))).exp();
    }
}

void BivariateNormal::set_derivatives(double rho) {
  const double left = 1 - rho * rho;
  d_P_ = ((product_ * (2 * rho) - squares_) * (0.5 / left)).exp() *
         (1 / (2 * std::numbers::pi * std::sqrt(left)));
  dd_P_ = d_P_ * ((product_ * (1 + rho * rho) - squares_ * rho) * (1 / (left * left)) + rho / left);
}

}  // namespace spodnet
