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

/// What such correlations are made from: over the rows that have both i and j, their number, the
/// sum of i, that of its squares, and that of i times j. Sums of two sets of rows add up.
struct PairSums {
  Matrix counts, sums, squares, cross;  ///< p x p

  PairSums& operator+=(const PairSums& other);
};
/// Of rows Z less an origin near their means; NaN is missing.
PairSums pair_sums(const Matrix& Z);
/// The correlations of these rows; means are those of Z.
PairwiseCorrelation correlation_of(const PairSums& sums);

/// Its mean and scale alone. Cost n p.
struct ColumnMoments {
  Vector mean, scale;
};
ColumnMoments column_moments(const MatrixRef& X, const Vector& weight = {});

}  // namespace spodnet
