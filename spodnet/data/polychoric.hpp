#pragma once

#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

// Correlations of the Gaussian variables behind ordered categories (polychoric; of two binary ones
// tetrachoric). Two steps: cut points from each margin, then rho by maximum likelihood.

/// An ordered column: level 0, 1, ... of each row (-1: missing), and what the Gaussian variable
/// behind it looks like.
struct OrderedColumn {
  std::vector<int> level;
  std::vector<double> share;  ///< of each level among the values observed, all positive
  std::vector<double> cut;    ///< levels + 1 cut points Phi^{-1}(cumulated share), -inf to inf
  std::vector<double> score;  ///< mean of the Gaussian variable in each level
  double information = 1;     ///< sum share * score^2 <= 1: what the levels keep of it; the
                              ///< correlation of two ordered columns near 0 is known as if from
                              ///< n times the product of theirs
  std::size_t levels() const { return share.size(); }
};

/// Levels are the different values in ascending order; `weight` (empty: all 1) per row.
OrderedColumn ordered_column(const Eigen::Ref<const Vector>& values, const Vector& weight = {});

/// Counts of the pairs of levels of the rows that have both.
Matrix pair_counts(const OrderedColumn& a, const OrderedColumn& b, const Vector& weight = {});

/// rho that maximises sum_ab counts_ab log P_ab(rho), P_ab the probability of the cell between the
/// cut points, by Newton's method (Fisher's scoring where the curvature is no guide) from `start`
/// inside a bracket of the score's sign; |rho| at most 0.9999. Of a 2 x 2 table with an empty cell
/// that cell counts 1/2: rho would be 1 otherwise. Cost: about 30 exponentials for each pair of
/// cut points.
double polychoric_correlation(Matrix counts, const std::vector<double>& cut_a,
                              const std::vector<double>& cut_b, double start = 0);

}  // namespace spodnet
