#pragma once

#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/estimators/glasso_latent.hpp"

namespace spodnet {

/// Pairs of penalties that are tried: `count` lambdas from the largest |S_ij| down to `ratio` of
/// it, and for each gamma = c sqrt(p) lambda for four c: the largest eigenvalue of a sampling error
/// is about sqrt(p) times its entries.
struct GlassoLatentSearch {
  int count = 10;
  double ratio = 0.03;
  double tolerance = 1e-4;         ///< duality gap per variable of the fits that are compared
  GlassoLatentOptions final = {};  ///< the fit that is returned; its penalties are not read
  ThreadPool* pool = nullptr;      ///< null: this thread alone; the result is the same
};

struct GlassoLatentScore {
  double lambda = 0, gamma = 0;
  std::size_t edges = 0;  ///< of A
  int factors = 0;
  double score = 0;  ///< extended BIC (the smallest wins), or held-out likelihood (the largest)
};

struct GlassoLatentChoice {
  double lambda = 0, gamma = 0;
  std::vector<GlassoLatentScore> scores;
  GlassoLatentResult fit;
};

/// The pair with the smallest extended Bayesian information criterion,
///   -2 log-likelihood + (edges + p r - r (r - 1) / 2) log n + 4 gamma_ebic edges log p,
/// r the number of factors, from the covariance S of n samples alone.
[[nodiscard]] GlassoLatentChoice glasso_latent_ebic(const MatrixRef& S, double n,
                                                    double gamma_ebic = 0.5,
                                                    const GlassoLatentSearch& search = {});

/// The pair with the largest mean held-out log-likelihood over folds of consecutive rows of X
/// (n x p); a column that is constant in a training part has its variance of all rows there.
[[nodiscard]] GlassoLatentChoice glasso_latent_cv(const MatrixRef& X, int folds = 5,
                                                  const GlassoLatentSearch& search = {});

}  // namespace spodnet
