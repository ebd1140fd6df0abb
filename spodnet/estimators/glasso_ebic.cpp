#include "spodnet/estimators/glasso_ebic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/metrics/likelihood.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLambdasInARow = 5;  // lambdas fitted one after another

void check(double n, const GlassoEbicOptions& options) {
  if (!(n > 1) || !std::isfinite(n))
    throw AdvisedError(
        fmt::format("glasso-ebic: n is {}, at least two samples are needed: how many are "
                    "behind the covariance?",
                    n),
        Advice::sample_count);
  if (!(options.gamma >= 0) || options.count < 1 || !(options.ratio > 0) || options.ratio > 1)
    throw Error("glasso-ebic: gamma >= 0, count >= 1 and 0 < ratio <= 1 are needed");
  if (options.search.final.penalty.size() > 0)
    throw Error(
        "glasso-ebic: it chooses one lambda for all entries, a penalty matrix has no place");
}

GlassoEbicScore score_of(const MatrixRef& S, double n, double gamma, double lambda,
                         const GlassoResult& fit) {
  const double p = double(S.rows());
  GlassoEbicScore score;
  score.lambda = lambda;
  score.edges = count_edges(fit.Theta);
  score.log_likelihood = n * log_likelihood(S, fit.Theta, fit.log_det);
  score.ebic =
      -2 * score.log_likelihood + double(score.edges) * (std::log(n) + 4 * gamma * std::log(p));
  return score;
}

}  // namespace

GlassoEbicResult glasso_ebic(const MatrixRef& S, double n, const GlassoEbicOptions& options) {
  check(n, options);
  const double lambda_max = glasso_lambda_max(S, options.search.final.constraints);
  GlassoOptions final = options.search.final, rough = final;
  final.pool = options.search.pool;
  final.lambda = lambda_max;
  GlassoEbicResult result;
  result.fit = glasso(S, final);  // diagonal, and says what is wrong with S
  rough.tolerance = options.search.tolerance;
  rough.kkt_tolerance = std::numeric_limits<double>::infinity();
  const auto lambdas = lambda_max > 0
                           ? log_spaced(lambda_max, options.ratio * lambda_max, options.count)
                           : std::vector{0.0};
  result.scores.resize(lambdas.size());
  for_each((lambdas.size() + kLambdasInARow - 1) / kLambdasInARow, options.search.pool,
           [&](std::size_t group) {
             const std::size_t first = group * kLambdasInARow,
                               last = std::min(first + kLambdasInARow, lambdas.size());
             const auto fits =
                 glasso_path(S, std::span(lambdas).subspan(first, last - first), rough);
             for (std::size_t l = first; l < last; ++l)
               result.scores[l] = score_of(S, n, options.gamma, lambdas[l], fits[l - first]);
           });
  const auto best = std::min_element(result.scores.begin(), result.scores.end(),
                                     [](const auto& a, const auto& b) { return a.ebic < b.ebic; });
  result.lambda = final.lambda = best->lambda;
  result.fit = glasso(S, final);
  return result;
}

}  // namespace spodnet
