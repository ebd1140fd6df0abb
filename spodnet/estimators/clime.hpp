#pragma once

#include "spodnet/estimators/columns.hpp"

namespace spodnet {

/// CLIME (Cai, Liu and Luo 2011): column j of Theta solves the linear programme
///   minimise ||b||_1  over  |S b - e_j|_i <= lambda for all i,
/// and Theta_ij is the smaller in magnitude of the two columns' estimates (join_columns). S is
/// p x p with positive diagonal and lambda in [0, 1). lambda is compared with correlations times
/// ratios of standard deviations: standardise variables of different units.
/// `violation` is the largest over the columns of: how far a constraint of the programme or of its
/// dual is missed, and the duality gap relative to max(1, ||b||_1). not_converged: S is singular
/// and no b meets the constraints at this lambda; such columns are those of the smallest lambda
/// that has one. The whole path costs about as much as its last point: each of p columns takes some
/// 2k bends of 8 p k flops, k non-zeros. Columns are shared by the threads of `pool`.
[[nodiscard]] std::vector<ColumnsResult> clime_path(const MatrixRef& S,
                                                    std::span<const double> lambdas,
                                                    ThreadPool* pool = nullptr);
[[nodiscard]] ColumnsResult clime(const MatrixRef& S, double lambda, ThreadPool* pool = nullptr);

/// Smallest lambda whose solution is diagonal: the largest a / (1 + a), a = |S_ij| / S_jj, i != j.
double clime_lambda_max(const MatrixRef& S);

/// lambda chosen by the held-out likelihood of the samples X (n x p).
[[nodiscard]] ColumnsCvResult clime_cv(const MatrixRef& X, const ColumnsCvOptions& options = {});

}  // namespace spodnet
