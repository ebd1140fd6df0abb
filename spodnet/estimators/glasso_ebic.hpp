#pragma once

#include <vector>

#include "spodnet/estimators/glasso_search.hpp"

namespace spodnet {

struct GlassoEbicOptions {
  double gamma = 0.5;                      ///< 0: the usual BIC
  int count = 30;                          ///< lambdas, from lambda_max ...
  double ratio = 0.01;                     ///< ... to ratio * lambda_max
  GlassoSearch search{.tolerance = 1e-6};  ///< edges are counted: sharper than a likelihood
};

struct GlassoEbicScore {
  double lambda = 0;
  std::size_t edges = 0;
  double log_likelihood = 0;  ///< of all n samples
  double ebic = 0;
};

struct GlassoEbicResult {
  double lambda = 0;                    ///< of the smallest ebic; of equals the largest
  std::vector<GlassoEbicScore> scores;  ///< lambda decreasing
  GlassoResult fit;
};

/// Lambda by the extended Bayesian information criterion,
///   -2 log-likelihood + edges log n + 4 gamma edges log p,
/// from the covariance S of n samples alone.
[[nodiscard]] GlassoEbicResult glasso_ebic(const MatrixRef& S, double n,
                                           const GlassoEbicOptions& options = {});

}  // namespace spodnet
