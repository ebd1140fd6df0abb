#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/estimators/glasso_search.hpp"

namespace spodnet {

struct GlassoStarsOptions {
  int subsamples = 20;
  double threshold = 0.1;                  ///< bound of the mean edge instability
  int count = 30;                          ///< lambdas, from lambda_max ...
  double ratio = 0.01;                     ///< ... to ratio * lambda_max
  std::uint64_t seed = 0;                  ///< subsample k is drawn from the stream (seed, k)
  GlassoSearch search{.tolerance = 1e-6};  ///< edges are counted: sharper than a likelihood
};

struct GlassoStarsScore {
  double lambda = 0;
  double instability = 0;  ///< mean over pairs of 2 f (1 - f), f the share of subsamples with it
  double monotone = 0;     ///< the largest instability at this lambda and above
};

struct GlassoStarsResult {
  double lambda = 0;
  std::vector<GlassoStarsScore> scores;  ///< lambda decreasing, until the threshold is passed
  GlassoResult fit;                      ///< to the covariance of all samples about their mean
};

/// Lambda by stability of the graph: the smallest one whose monotone instability over subsamples
/// of min(10 sqrt(n), 0.8 n) rows, drawn without replacement, is below the threshold.
/// X is n x p. Fewer than 3 samples, a constant column, a value not finite: Error.
[[nodiscard]] GlassoStarsResult glasso_stars(const MatrixRef& X,
                                             const GlassoStarsOptions& options = {});

}  // namespace spodnet
