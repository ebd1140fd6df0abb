#pragma once

#include <vector>

#include "spodnet/estimators/cv_folds.hpp"
#include "spodnet/estimators/glasso_search.hpp"

namespace spodnet {

struct GlassoCvOptions {
  int folds = 5;        ///< consecutive samples, not shuffled
  int grid = 4;         ///< lambdas of a round; in the first from lambda_max to lambda_max / 100
  int refinements = 4;  ///< further rounds, between the neighbours of the best lambda so far
  GlassoSearch search;
};

struct GlassoCvResult {
  double lambda = 0;            ///< of the largest mean score; of equals the largest
  std::vector<CvScore> scores;  ///< all of them, lambda decreasing
  GlassoResult fit;             ///< to the covariance of all samples about their mean
};

/// Lambda by cross-validation, its scores those of cv_folds.hpp. A column that is constant in a
/// training part has its variance of all rows there; its score would be infinite for every lambda.
/// X is n x p. Fewer samples than folds, a constant column, a value not finite: Error.
[[nodiscard]] GlassoCvResult glasso_cv(const MatrixRef& X, const GlassoCvOptions& options = {});

}  // namespace spodnet
