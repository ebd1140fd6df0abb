#pragma once

#include <Eigen/LU>
#include <cmath>

#include "spodnet/core/types.hpp"
#include "spodnet/problem/constraints.hpp"
#include "support/worse.hpp"

namespace spodnet::test {

/// The optimality conditions of the graphical lasso under constraints from their definition, W by
/// LU: the largest violation over sqrt(S_ii S_jj).
inline double glasso_violation(const Matrix& S, double lambda, const Constraints& constraints,
                               const Matrix& Theta) {
  const Matrix W = Theta.inverse();
  double worst = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j < S.cols(); ++j) {
      const double gradient = S(i, j) - W(i, j);
      double v = std::abs(gradient);
      if (i != j && Theta(i, j) > 0) v = std::abs(gradient + lambda);
      if (i != j && Theta(i, j) < 0) v = std::abs(gradient - lambda);
      if (i != j && Theta(i, j) == 0) {
        const bool up = constraints.allow(std::size_t(i), std::size_t(j), 1);
        const bool down = constraints.allow(std::size_t(i), std::size_t(j), -1);
        v = worse(up ? -gradient - lambda : 0.0, down ? gradient - lambda : 0.0);
        v = worse(v, 0);
      }
      worst = worse(worst, v / std::sqrt(S(i, i) * S(j, j)));
    }
  return worst;
}

inline double glasso_violation(const Matrix& S, double lambda, const Matrix& Theta) {
  return glasso_violation(S, lambda, Constraints(std::size_t(S.rows())), Theta);
}

}  // namespace spodnet::test
