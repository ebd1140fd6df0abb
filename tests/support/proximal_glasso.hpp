#pragma once

#include "spodnet/core/types.hpp"
#include "spodnet/problem/constraints.hpp"

namespace spodnet::test {

/// The graphical lasso under constraints by projected proximal gradient on Theta itself, slow and
/// plain: Theta <- P(soft_threshold(Theta - t (S - Theta^{-1}), t lambda)), P setting what is
/// forbidden to 0, t halved until Theta stays SPD and the step descends. Primal, while the
/// library's algorithm is dual.
Matrix proximal_glasso(const Matrix& S, double lambda, const Constraints& constraints,
                       int max_iterations = 20000);

}  // namespace spodnet::test
