#pragma once

#include <span>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Ranks 1, 2, ... of the values, equal ones sharing the mean of theirs; NaN keeps NaN and does not
/// count. Cost n log n.
std::vector<double> mid_ranks(std::span<const double> values);

/// Kendall's tau-b of the pairs (x_k, y_k), those with a NaN left out: concordant minus discordant
/// pairs of rows over sqrt((pairs not tied in x)(pairs not tied in y)); 0 when either is constant.
/// Cost n log n.
double kendall_tau(std::span<const double> x, std::span<const double> y);

/// Phi^{-1}(u) for 0 < u < 1, to about 1e-14.
double normal_quantile(double u);

/// Each column by its ranks: Phi^{-1}((rank - 1/2) / count), NaN where missing. What Gaussian
/// samples of the same order would look like.
Matrix normal_scores(const MatrixRef& X);

enum class RankCorrelation { spearman, kendall };

/// Correlations of the Gaussian variables of which those of X are increasing functions, from ranks
/// alone: 2 sin(pi/6 rho) of Spearman's rho or sin(pi/2 tau) of Kendall's tau. Outliers count as
/// much as any other value. Missing values are left out pair by pair (Spearman: ranks are those
/// among the values observed of each column). Unit diagonal; need not be positive semidefinite.
/// Cost: n p^2, or p^2 n log n for Kendall.
Matrix gaussian_rank_correlation(const MatrixRef& X, RankCorrelation kind);

/// Normal-consistent median absolute deviation 1.4826 median |x - median| of each column's observed
/// values; their standard deviation where that is 0. A scale that outliers do not move.
Vector robust_scale(const MatrixRef& X);

/// Median of each column's observed values; 0 where there is none.
Vector column_medians(const MatrixRef& X);

}  // namespace spodnet
