#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/baselines/glasso.hpp"

namespace spodnet {

// Three ways to choose lambda. Each runs its fits on a pool, warm-started in fixed groups, so that
// the result is the same bit for bit for any number of threads.

/// How to fit along the search, and the answer at its end.
struct GlassoSearch {
  double tolerance = 1e-4;     ///< duality gap of the fits that are only compared
  GlassoOptions final;         ///< the fit that is returned; its lambda and pool are not read,
                               ///< its constraints hold in every fit
  ThreadPool* pool = nullptr;  ///< null: this thread alone
};

struct GlassoCvOptions {
  int folds = 5;        ///< consecutive samples, not shuffled
  int grid = 4;         ///< lambdas of a round; in the first from lambda_max to lambda_max / 100
  int refinements = 4;  ///< further rounds, between the neighbours of the best lambda so far
  GlassoSearch search;
};

struct GlassoCvScore {
  double lambda = 0;
  double mean = 0;            ///< over the folds
  std::vector<double> folds;  ///< held-out log-likelihood per sample
};

struct GlassoCvResult {
  double lambda = 0;                  ///< of the largest mean score; of equals the largest
  std::vector<GlassoCvScore> scores;  ///< all of them, lambda decreasing
  GlassoResult fit;                   ///< to the covariance of all samples about their mean
};

/// Lambda by cross-validation. A fold's score is the Gaussian log-likelihood per sample of its
/// held-out rows, given Theta and the mean of the rows it was trained on:
///   1/2 (log det Theta - tr(S_test Theta) - p log 2 pi),   S_test about the training mean.
/// Differs: scikit-learn takes S_test about its own mean. A column that is constant in a training
/// part has its variance of all rows there; its score would be infinite for every lambda.
/// X is n x p. Fewer samples than folds, a constant column, a value not finite: Error.
[[nodiscard]] GlassoCvResult glasso_cv(const MatrixRef& X, const GlassoCvOptions& options = {});

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
