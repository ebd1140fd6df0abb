#pragma once

#include <optional>

#include "spodnet/estimators/columns.hpp"

namespace spodnet {

/// TIGER (Liu and Wang 2017): each variable is regressed on the others by the square-root lasso. In
/// correlations R of the p x p covariance S (positive diagonal), for column j:
///   b minimises sigma(b) + lambda ||b||_1,  sigma(b)^2 = 1 - 2 R_j'b + b'R b,  b_j = 0;
///   Theta_jj = 1 / (sigma^2 S_jj),  Theta_lj = -b_l / (sigma^2 sqrt(S_ll S_jj)),
/// and of Theta_lj and Theta_jl the smaller in magnitude counts (join_columns). The lambda that is
/// right does not depend on the noise: tiger_lambda. Units of the variables do not matter.
/// `violation` is that of the KKT conditions, the largest: (R_j - R b)_l = lambda sigma sign(b_l),
/// or at most lambda sigma in magnitude where b_l = 0, over sigma. not_converged: a variable is a
/// combination of others (its sigma is 0: lambda is too small for so few samples).
/// Cost: for each column a few lassos of 2 p^2 flops a pass; columns are shared by the threads.
/// For several decreasing lambdas each lasso starts from the one before.
[[nodiscard]] std::vector<ColumnsResult> tiger_path(const MatrixRef& S,
                                                    std::span<const double> lambdas,
                                                    ThreadPool* pool = nullptr);
[[nodiscard]] ColumnsResult tiger(const MatrixRef& S, double lambda, ThreadPool* pool = nullptr);

/// Column j alone, before it is joined with the others.
Vector tiger_column(const MatrixRef& S, Eigen::Index j, double lambda);

/// sqrt(log p / n): the theory's pi sqrt(log p / 2n) times zeta = sqrt(2) / pi, the smallest zeta
/// of the paper and its advice.
double tiger_lambda(Eigen::Index p, double n);

/// lambda chosen by the held-out likelihood of the samples X (n x p).
[[nodiscard]] ColumnsCvResult tiger_cv(const MatrixRef& X, const ColumnsCvOptions& options = {});

}  // namespace spodnet
