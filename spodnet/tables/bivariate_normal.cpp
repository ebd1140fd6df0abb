#include "spodnet/tables/bivariate_normal.hpp"

#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

#include "spodnet/core/kernels.hpp"

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

BivariateNormal::BivariateNormal(const std::vector<double>& h, const std::vector<double>& k) {
  const auto cdf = [](std::vector<double> x) {
    for (double& each : x) each = normal_cdf(each);
    return x;
  };
  start(h, cdf(h), k, cdf(k));
}

void BivariateNormal::start(std::span<const double> h, std::span<const double> Phi_h,
                            std::span<const double> k, std::span<const double> Phi_k) {
  pairs_ = Eigen::Index(h.size() * k.size());
  for (Eigen::ArrayXd* each : {&squares_, &product_, &P_, &d_P_, &dd_P_})
    each->setZero(Eigen::Index(padded(h.size() * k.size())));
  Eigen::Index pair = 0;
  for (std::size_t b = 0; b < k.size(); ++b)
    for (std::size_t a = 0; a < h.size(); ++a) {
      squares_[pair] = h[a] * h[a] + k[b] * k[b];
      product_[pair] = h[a] * k[b];
      P_[pair++] = Phi_h[a] * Phi_k[b];
    }
  t_ = 0;
  run_ = &level_kernels();
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
  const std::span<const Node> nodes = far < kFarForFour ? std::span<const Node>(kTen) : kFour;
  double factor[2 * std::size(kTen)], by_product[std::size(factor)], by_squares[std::size(factor)];
  std::size_t count = 0;
  for (const auto& [at, weight] : nodes)
    for (const double side : {-1.0, 1.0}) {
      const double s = std::sin(middle + side * half * at), left = 1 - s * s;
      factor[count] = half * weight / (2 * std::numbers::pi);
      by_product[count] = s / left;
      by_squares[count++] = -0.5 / left;
    }
  run_->add_exponentials(std::size_t(P_.size()), count, factor, by_product, by_squares,
                         product_.data(), squares_.data(), P_.data());
}

void BivariateNormal::set_derivatives(double rho) {
  const double left = 1 - rho * rho, by_product = rho / left, by_squares = -0.5 / left;
  const double factor = 1 / (2 * std::numbers::pi * std::sqrt(left));
  d_P_.setZero();
  run_->add_exponentials(std::size_t(d_P_.size()), 1, &factor, &by_product, &by_squares,
                         product_.data(), squares_.data(), d_P_.data());
  dd_P_ = d_P_ * ((product_ * (1 + rho * rho) - squares_ * rho) * (1 / (left * left)) + rho / left);
}

}  // namespace spodnet
