#pragma once

#include <string>

#include "spodnet/core/types.hpp"

namespace spodnet {

struct CovarianceOptions {
  bool centred = true;  ///< remove the column means first (the authors' code; the paper does not)
};

/// Samples beyond it, of either sign, have squares whose sums leave the range of numbers.
inline constexpr double kLargestValue = 1e150;

/// S = X_c^T X_c / n of the samples X (n x p, one per row), p x p, exactly symmetric.
/// A constant column gives exact zeros when centred. No sample, or a value that is not finite:
/// Error naming the place. Cost n p^2.
Matrix empirical_covariance(const MatrixRef& X, const CovarianceOptions& options = {});

/// S about a given mean, (X - 1 mean^T)^T (X - 1 mean^T) / n: held-out data are judged by the
/// mean of the training data.
Matrix covariance_about(const MatrixRef& X, const Vector& mean);

/// Column means of X, exact for constant columns.
Vector column_means(const MatrixRef& X);

/// Throws Error, its line starting with `where`, unless A is square, not empty, finite, with
/// diagonal >= 0 and symmetric up to rounding: |A_ij - A_ji| <= 1e-6 max(sqrt(A_ii A_jj), |A_ij|).
void check_symmetric(const MatrixRef& A, const std::string& where);

/// A <- (A + A^T) / 2, exactly symmetric afterwards.
void symmetrise(Eigen::Ref<Matrix> A);

}  // namespace spodnet
