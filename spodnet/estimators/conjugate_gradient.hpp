#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "spodnet/core/stop.hpp"

namespace spodnet {

struct ConjugateGradientOptions {
  int max_iterations = 1000;  ///< checked before each step: at most max_iterations - 1 steps
  double min_gradient_norm = 1e-6;
  double min_step = 1e-10;  ///< length of the last step
};

template <class Point>
struct ConjugateGradientResult {
  Point x;
  double cost = 0;
  double gradient_norm = 0;
  int steps = 0;
  bool converged = false;  ///< by the gradient's norm
};

/// Step length of a line search that remembers what it accepted last.
class AdaptiveStep {
 public:
  /// Halves the step from x along d (slope < 0 at x) until f(x_next) <= f + step slope / 2, at most
  /// ten times; returns the step, 0 with x_next = x when even then f did not decrease.
  template <class Manifold, class Cost>
  double search(const Manifold& manifold, const Cost& cost, const typename Manifold::Point& x,
                const typename Manifold::Tangent& d, double f, double slope, double norm_d,
                typename Manifold::Point& x_next, double& f_next) {
    double step = remembered_ > 0 ? remembered_ : 1 / norm_d;
    int halvings = 0;
    while (true) {
      x_next = manifold.retract(x, Manifold::combine(step, d, 0, d));
      f_next = cost.value(x_next);
      if (f_next <= f + 0.5 * step * slope || halvings == 10) break;
      step /= 2;
      ++halvings;
    }
    if (!(f_next <= f)) {
      step = 0;
      x_next = x;
      f_next = f;
    }
    remembered_ = halvings == 1 ? step : 2 * step;
    return step;
  }

 private:
  double remembered_ = 0;
};

/// Riemannian conjugate gradients (Hestenes-Stiefel, clipped at 0). `Manifold` offers inner,
/// retract, transport and combine; `Cost` offers value(x) and the Riemannian gradient(x).
template <class Manifold, class Cost>
ConjugateGradientResult<typename Manifold::Point> minimise(
    const Manifold& manifold, const Cost& cost, typename Manifold::Point x,
    const ConjugateGradientOptions& options) {
  using Tangent = typename Manifold::Tangent;
  AdaptiveStep line;
  double f = cost.value(x), length = options.min_step;
  Tangent g = cost.gradient(x);
  double g2 = manifold.inner(x, g, g);
  Tangent d = Manifold::combine(-1, g, 0, g);
  int steps = 0;
  while (steps + 1 < options.max_iterations && std::sqrt(g2) >= options.min_gradient_norm &&
         length >= options.min_step) {
    leave_if_stopped();
    double slope = manifold.inner(x, g, d);
    if (!(slope < 0)) {  // not a descent direction: start again from the gradient
      d = Manifold::combine(-1, g, 0, g);
      slope = -g2;
    }
    typename Manifold::Point x_next;
    double f_next = f;
    const double norm_d = std::sqrt(manifold.inner(x, d, d));
    length = norm_d * line.search(manifold, cost, x, d, f, slope, norm_d, x_next, f_next);
    Tangent g_next = cost.gradient(x_next);
    const Tangent moved = manifold.transport(x, x_next, d);
    const Tangent y = Manifold::combine(1, g_next, -1, manifold.transport(x, x_next, g));
    const double beta = manifold.inner(x_next, g_next, y) / manifold.inner(x_next, y, moved);
    d = Manifold::combine(-1, g_next, std::isfinite(beta) ? std::max(0.0, beta) : 0.0, moved);
    g = std::move(g_next);
    x = std::move(x_next);
    f = f_next;
    g2 = manifold.inner(x, g, g);
    ++steps;
  }
  const double norm = std::sqrt(g2);
  return {std::move(x), f, norm, steps, norm < options.min_gradient_norm};
}

}  // namespace spodnet
