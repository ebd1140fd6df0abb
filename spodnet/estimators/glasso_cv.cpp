#include "spodnet/estimators/glasso_cv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLambdasOfATask = 2;    // lambdas of a fold that are fitted one after another
constexpr double kSmallestShare = 1.0 / 100;  // of lambda_max, in the first round

struct Fold : CovarianceFold {
  std::map<double, GlassoResult> fits;  // near the best lambda so far, for warm starts
};

/// A fit at a lambda beside the one that is wanted.
struct Neighbour {
  double lambda = 0;
  const GlassoResult* fit = nullptr;
};

/// Warm start at lambda between two fits. The dual's box |W - S| <= lambda is convex in W and
/// lambda together, so W linear in lambda is feasible, and it is wrong by the square of the
/// distance.
struct WarmStart {
  Matrix Theta, W;

  WarmStart(const Neighbour& high, const Neighbour& low, double lambda) {
    const double t = (lambda - low.lambda) / (high.lambda - low.lambda);
    Theta = t * high.fit->Theta + (1 - t) * low.fit->Theta;
    W = t * high.fit->W + (1 - t) * low.fit->W;
  }
};

class Search {
 public:
  Search(const MatrixRef& X, const Matrix& S, const GlassoCvOptions& options) : options_(options) {
    for (CovarianceFold& fold :
         covariance_folds(X, S.diagonal(), options.folds, options.search.pool))
      folds_.push_back({std::move(fold), {}});
  }

  /// Scores decreasing lambdas in every fold.
  void round(const std::vector<double>& lambdas) {
    const std::size_t folds = folds_.size(),
                      groups = (lambdas.size() + kLambdasOfATask - 1) / kLambdasOfATask;
    std::vector<std::vector<GlassoResult>> fits(folds, std::vector<GlassoResult>(lambdas.size()));
    for_each(folds * groups, options_.search.pool, [&](std::size_t task) {
      const std::size_t first = task / folds * kLambdasOfATask;
      fit_group(folds_[task % folds], lambdas, first, fits[task % folds]);
    });
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      CvScore score{lambdas[l], 0, {}};
      for (std::size_t k = 0; k < folds; ++k) {
        const GlassoResult& fit = fits[k][l];
        score.folds.push_back(log_likelihood(folds_[k].S_test, fit.Theta, fit.log_det));
        folds_[k].fits[lambdas[l]] = std::move(fits[k][l]);
      }
      scores_.push_back(std::move(score));
    }
    std::sort(scores_.begin(), scores_.end(),
              [](const auto& a, const auto& b) { return a.lambda > b.lambda; });
    best_ = finish_scores(scores_);
  }

  std::size_t best() const { return best_; }

  /// New lambdas between the neighbours of the best; below the smallest, two decades down.
  std::vector<double> refine() {
    const std::size_t at = best_, last = scores_.size() - 1;
    const double high = scores_[at == 0 || at == last ? at : at - 1].lambda;
    const double low = at == last ? kSmallestShare * high : scores_[at + 1].lambda;
    for (Fold& fold : folds_)
      std::erase_if(fold.fits,
                    [&](const auto& kept) { return kept.first < low || kept.first > high; });
    std::vector<double> lambdas = log_spaced(high, low, options_.grid + 2);
    return {lambdas.begin() + 1, lambdas.end() - 1};
  }

  std::vector<CvScore> take_scores() { return std::move(scores_); }

 private:
  void fit_group(const Fold& fold, const std::vector<double>& lambdas, std::size_t first,
                 std::vector<GlassoResult>& fits) const {
    GlassoOptions options = options_.search.final;
    options.tolerance = options_.search.tolerance;
    options.kkt_tolerance = std::numeric_limits<double>::infinity();
    options.pool = nullptr;
    for (std::size_t l = first; l < std::min(first + kLambdasOfATask, lambdas.size()); ++l) {
      options.lambda = lambdas[l];
      const auto above = fold.fits.lower_bound(lambdas[l]);
      Neighbour high, low;
      if (above != fold.fits.end()) high = {above->first, &above->second};
      if (l > first) high = {lambdas[l - 1], &fits[l - 1]};
      if (above != fold.fits.begin()) low = {std::prev(above)->first, &std::prev(above)->second};
      fits[l] = fit_between(fold.S, options, high, low);
    }
  }

  static GlassoResult fit_between(const Matrix& S, GlassoOptions options, const Neighbour& high,
                                  const Neighbour& low) {
    if (!high.fit) return glasso(S, options);
    if (!low.fit) {
      options.Theta_start = &high.fit->Theta;
      options.W_start = &high.fit->W;
      return glasso(S, options);
    }
    const WarmStart start(high, low, options.lambda);
    options.Theta_start = &start.Theta;
    options.W_start = &start.W;
    return glasso(S, options);
  }

  const GlassoCvOptions& options_;
  std::vector<Fold> folds_;
  std::vector<CvScore> scores_;
  std::size_t best_ = 0;
};

void check(const MatrixRef& X, const GlassoCvOptions& options) {
  if (options.folds < 2 || options.grid < 2 || options.refinements < 0)
    throw Error("glasso_cv: folds and grid must be at least 2, refinements at least 0");
  if (X.rows() < options.folds)
    throw Error(
        fmt::format("glasso_cv: {} sample{} cannot fill {} folds; give more samples or "
                    "fewer folds",
                    X.rows(), X.rows() == 1 ? "" : "s", options.folds));
  if (options.search.final.penalty.size() > 0)
    throw Error("glasso_cv: it chooses one lambda for all entries, a penalty matrix has no place");
}

}  // namespace

GlassoCvResult glasso_cv(const MatrixRef& X, const GlassoCvOptions& options) {
  check(X, options);
  const Matrix S = empirical_covariance(X);
  const double lambda_max = glasso_lambda_max(S, options.search.final.constraints);
  GlassoOptions final = options.search.final;
  final.pool = options.search.pool;
  final.lambda = lambda_max;
  (void)glasso(S, final);  // diagonal, and says what is wrong with S
  Search search(X, S, options);
  if (lambda_max == 0) {
    search.round({0.0});
  } else {
    search.round(log_spaced(lambda_max, kSmallestShare * lambda_max, options.grid));
    for (int k = 0; k < options.refinements; ++k) search.round(search.refine());
  }
  const std::size_t best = search.best();
  GlassoCvResult result;
  result.scores = search.take_scores();
  result.lambda = final.lambda = result.scores[best].lambda;
  result.fit = glasso(S, final);
  return result;
}

}  // namespace spodnet
