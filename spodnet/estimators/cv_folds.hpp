#pragma once

#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/problem/estimate.hpp"

namespace spodnet {

/// A fold of a cross-validation of lambda, as covariances.
struct CovarianceFold {
  Matrix S;       ///< of the training rows; a column constant there has its variance of all rows
  Matrix S_test;  ///< of the held-out rows, about the mean of the training rows
  double n = 0;   ///< training rows
};

/// `count` folds of consecutive rows of X, their sizes differing by at most one, the larger first.
/// `variances`, all positive, are those of all rows.
std::vector<CovarianceFold> covariance_folds(const MatrixRef& X, const Vector& variances, int count,
                                             ThreadPool* pool);

/// The score of one lambda. A fold's is the Gaussian log-likelihood per sample of its held-out
/// rows, given Theta and the mean of the rows it was trained on:
///   1/2 (log det Theta - tr(S_test Theta) - p log 2 pi),   S_test about the training mean.
/// Differs: scikit-learn takes S_test about its own mean.
struct CvScore {
  double lambda = 0;
  double mean = 0;  ///< over the folds
  std::vector<double> folds;
};

/// Sets the means; returns the place of the largest, of equals the first.
std::size_t finish_scores(std::vector<CvScore>& scores);

/// Columns lambda, mean, fold_1 ... of `estimate.scores`.
void put_scores(const std::vector<CvScore>& scores, Estimate& estimate);

}  // namespace spodnet
