#include "spodnet/estimators/glasso_stars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLambdasAtATime = 4;  // lambdas between two looks at the instability

struct Subsample {
  Matrix S;
  GlassoResult last;                     // for the warm start of the next lambda
  std::vector<std::vector<bool>> edges;  // of each lambda of a group, pairs i > j row by row
};

void check(const MatrixRef& X, const GlassoStarsOptions& options) {
  if (X.rows() < 3)
    throw Error(fmt::format("glasso_stars: {} sample{} cannot be subsampled; give at least three",
                            X.rows(), X.rows() == 1 ? "" : "s"));
  if (options.subsamples < 2 || !(options.threshold > 0) || options.count < 1 ||
      !(options.ratio > 0) || options.ratio > 1)
    throw Error(
        "glasso_stars: subsamples >= 2, threshold > 0, count >= 1 and 0 < ratio <= 1 are needed");
  if (options.search.final.penalty.size() > 0)
    throw Error(
        "glasso_stars: it chooses one lambda for all entries, a penalty matrix has no "
        "place");
}

/// min(10 sqrt(n), 0.8 n) of the n rows, without replacement.
Matrix draw_rows(const MatrixRef& X, std::uint64_t seed, std::uint64_t k) {
  const double n = double(X.rows());
  std::vector<std::uint32_t> rows(std::size_t(X.rows()));
  std::iota(rows.begin(), rows.end(), 0u);
  RandomStream(seed, k).shuffle(rows);
  rows.resize(std::size_t(std::min(10 * std::sqrt(n), 0.8 * n)));
  return rows_of(X, rows);
}

std::vector<bool> edge_flags(const Matrix& Theta) {
  std::vector<bool> edges;
  edges.reserve(std::size_t(Theta.rows() * (Theta.rows() - 1) / 2));
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) edges.push_back(is_edge(Theta, i, j));
  return edges;
}

void fit_group(std::span<const double> lambdas, GlassoOptions options, Subsample& sample) {
  sample.edges.clear();
  for (double lambda : lambdas) {
    if (sample.last.Theta.size() > 0) {
      options.Theta_start = &sample.last.Theta;
      options.W_start = &sample.last.W;
    }
    options.lambda = lambda;
    sample.last = glasso(sample.S, options);
    sample.edges.push_back(edge_flags(sample.last.Theta));
  }
}

/// Mean over the pairs of 2 f (1 - f), for lambda number l of the group.
double instability(const std::vector<Subsample>& samples, std::size_t l) {
  const std::size_t pairs = samples[0].edges[l].size();
  double sum = 0;
  for (std::size_t e = 0; e < pairs; ++e) {
    double f = 0;
    for (const Subsample& sample : samples) f += sample.edges[l][e];
    f /= double(samples.size());
    sum += 2 * f * (1 - f);
  }
  return pairs > 0 ? sum / double(pairs) : 0;
}

}  // namespace

GlassoStarsResult glasso_stars(const MatrixRef& X, const GlassoStarsOptions& options) {
  check(X, options);
  const Matrix S = empirical_covariance(X);
  const double lambda_max = glasso_lambda_max(S, options.search.final.constraints);
  GlassoOptions final = options.search.final, rough = final;
  final.pool = options.search.pool;
  final.lambda = lambda_max;
  GlassoStarsResult result;
  result.fit = glasso(S, final);  // diagonal, and says what is wrong with S
  result.lambda = lambda_max;
  rough.tolerance = options.search.tolerance;
  rough.kkt_tolerance = std::numeric_limits<double>::infinity();

  std::vector<Subsample> samples(std::size_t(options.subsamples));
  const Vector variances = S.diagonal();
  for_each(samples.size(), options.search.pool, [&](std::size_t k) {
    samples[k].S = covariance_with_fallback(draw_rows(X, options.seed, k), variances);
  });
  const auto lambdas = lambda_max > 0
                           ? log_spaced(lambda_max, options.ratio * lambda_max, options.count)
                           : std::vector{0.0};
  double monotone = 0;
  for (std::size_t first = 0; first < lambdas.size() && monotone < options.threshold;
       first += kLambdasAtATime) {
    const auto group =
        std::span(lambdas).subspan(first, std::min(kLambdasAtATime, lambdas.size() - first));
    for_each(samples.size(), options.search.pool,
             [&](std::size_t k) { fit_group(group, rough, samples[k]); });
    for (std::size_t l = 0; l < group.size(); ++l) {
      const double mean = instability(samples, l);
      monotone = std::max(monotone, mean);
      result.scores.push_back({group[l], mean, monotone});
      if (monotone < options.threshold) result.lambda = group[l];
    }
  }
  final.lambda = result.lambda;
  result.fit = glasso(S, final);
  return result;
}

}  // namespace spodnet
