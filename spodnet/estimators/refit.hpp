#pragma once

#include "spodnet/problem/estimate.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// The Theta of largest likelihood of S among the matrices with zeros where `graph` (p x p) has
/// them, each other entry penalised by 3/n sqrt(S_ii S_jj) |Theta_ij|; constraints hold. status and
/// residual are those of the graphical lasso.
Estimate refit(const Matrix& graph, const Problem& problem);

}  // namespace spodnet
