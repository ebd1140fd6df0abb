#pragma once

#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/sided_penalty.hpp"

namespace spodnet {

/// One connected component: S and lambda are its own, all p x p. The diagonal of lambda is not
/// read (a penalised diagonal is already in S). Infinity: Theta_ij may not have that sign.
struct GlassoComponent {
  Matrix S;
  Matrix lambda;           ///< penalty of Theta_ij > 0 and, unless the next is given, < 0
  Matrix lambda_negative;  ///< penalty of Theta_ij < 0; empty: the same
  SidedPenalty penalty() const {
    return {lambda, lambda_negative.size() > 0 ? lambda_negative : lambda};
  }
  Matrix Theta_start;  ///< empty: cold start
  Matrix W_start;      ///< empty: computed from Theta_start
};

/// Solves one component and certifies the answer; of `options` only the tolerances and the
/// iteration limit count.
GlassoResult solve_component(const GlassoComponent& component, const GlassoOptions& options);

}  // namespace spodnet
