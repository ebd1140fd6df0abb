#pragma once

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// The Theta of largest likelihood of S among the matrices with zeros where `graph` (p x p) has
/// them, each other entry penalised by 3/n sqrt(S_ii S_jj) |Theta_ij|; constraints hold. status and
/// residual are those of the graphical lasso.
Estimate refit(const Matrix& graph, const Problem& problem);

/// The graph of `method`, refitted. A model trained to a small squared error shrinks what it keeps;
/// this does not.
std::unique_ptr<Method> refitted(std::shared_ptr<const Method> method);

}  // namespace spodnet
