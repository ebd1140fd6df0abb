#pragma once

#include <memory>
#include <vector>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// Weights a >= 0 that maximise the mean over folds of the held-out log-likelihood of
/// Theta = sum_k a_k Theta_k, which is concave in a:
///   f(a) = mean_v [log det(sum_k a_k Theta_k,v) - sum_k a_k t_k,v],  t_k,v = <S_v, Theta_k,v>.
/// Multiplicative updates a_k <- a_k mean_v <W_v, Theta_k,v> / mean_v t_k,v (an EM algorithm: f
/// never falls, a stays positive), `steps` of them, then weights below 1e-3 of their sum are
/// dropped and the others settled. At the optimum sum_k a_k mean_v t_k,v = p.
struct StackFold {
  std::vector<Matrix> Theta;  ///< of each member, from the fold's training rows
  Matrix rows;                ///< held out, in the units of the training rows
  Matrix S;                   ///< their mean square, p x p
};
[[nodiscard]] std::vector<double> stack_weights(const std::vector<StackFold>& folds,
                                                int steps = 200);

/// Weights of sum 1, drawn towards the first member where the held-out rows do not show that
/// the others help: with g the mean gain of the combination over it in the rows' scores and s its
/// standard error, the combination counts g^2 / (g^2 + 4 s^2), and nothing where g < 0. (Settled on
/// development tables: docs/lab/stack.md.)
[[nodiscard]] std::vector<double> lean_on_first(const std::vector<StackFold>& folds,
                                                std::vector<double> weights);

/// stack:members=A+B+...,folds=10,seed=0: a positive combination of methods, Theta = sum a_k
/// Theta_k, by cross-validated likelihood (stack_weights) and drawn towards the first member as far
/// as the held-out rows are in doubt (lean_on_first). Of fewer than 40 rows folds say too little:
/// the first member answers alone, unless it refuses them. Sparse members give a sparse sum, SPD by
/// construction; entries where a member is zero but another is not stay. Needs samples. Weights
/// stand in the estimate's details under the members' names. With members=sparse (the default:
/// pretrained+glasso-cv+glasso-ebic) or members=free (with ledoit-wolf and oas besides). A member
/// that refuses the data is left out; all of them: its Error.
std::unique_ptr<Method> make_stack_method(const MethodSpec& spec, const EngineOptions& engine);

}  // namespace spodnet
