#pragma once

#include "spodnet/baselines/glasso.hpp"

namespace spodnet {

/// One connected component: S and lambda are its own, both p x p. The diagonal of lambda is not
/// read (a penalised diagonal is already in S).
struct GlassoComponent {
  Matrix S;
  Matrix lambda;
  Matrix Theta_start;  ///< empty: cold start
  Matrix W_start;      ///< empty: computed from Theta_start
};

/// Solves one component and certifies the answer; of `options` only the tolerances and the
/// iteration limit count.
GlassoResult solve_component(const GlassoComponent& component, const GlassoOptions& options);

}  // namespace spodnet
