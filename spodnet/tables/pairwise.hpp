#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Correlations of samples with missing values (NaN), each pair from the rows that have both.
struct PairwiseCorrelation {
  Matrix R;       ///< p x p, unit diagonal; need not be positive semidefinite (repair.hpp)
  Matrix counts;  ///< rows behind each entry; on the diagonal the values observed
  Vector mean;    ///< of the observed values
  Vector scale;   ///< their standard deviation (divisor: their number); 0 for a constant column
};

/// R_ij is Pearson's correlation over the rows where both are observed, about their means there; 0
/// where one of the two is constant in those rows. Without missing values this is the correlation
/// matrix. X is n x p, finite or NaN; a column without a value has mean and scale 0.
/// Cost 4 n p^2, n p^2 without missing values and weights.
PairwiseCorrelation pairwise_correlation(const MatrixRef& X, const Vector& weight = {});

/// Its mean and scale alone. Cost n p.
struct ColumnMoments {
  Vector mean, scale;
};
ColumnMoments column_moments(const MatrixRef& X, const Vector& weight = {});

}  // namespace spodnet
