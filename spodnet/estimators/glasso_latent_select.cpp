#include "spodnet/estimators/glasso_latent_select.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kTraceShares[] = {0.3, 0.6, 1.2, 2.4};  ///< gamma / (sqrt(p) lambda)
constexpr std::size_t kTraces = std::size(kTraceShares);

/// The grid, lambda by lambda for each share of the trace.
std::vector<GlassoLatentScore> latent_grid(const MatrixRef& S, const GlassoLatentSearch& search) {
  if (search.count < 1 || !(search.ratio > 0) || search.ratio > 1)
    throw Error("glasso-latent: count >= 1 and 0 < ratio <= 1 are needed");
  const double largest = std::max(glasso_lambda_max(S), 1e-8 * S.diagonal().maxCoeff());
  std::vector<GlassoLatentScore> grid;
  for (const double c : kTraceShares)
    for (const double lambda : log_spaced(largest, search.ratio * largest, search.count))
      grid.push_back({lambda, c * std::sqrt(double(S.rows())) * lambda, 0, 0, 0});
  return grid;
}

/// score(fit, cell) for each cell of one share of the trace, warm-started along lambda.
template <class Score>
void fit_row(const MatrixRef& S, const GlassoLatentSearch& search, std::size_t row,
             std::vector<GlassoLatentScore>& grid, Score score) {
  GlassoLatentOptions options = search.final;
  options.tolerance = search.tolerance;
  GlassoLatentResult before;
  for (std::size_t l = 0; l < std::size_t(search.count); ++l) {
    GlassoLatentScore& cell = grid[row * std::size_t(search.count) + l];
    options.lambda = cell.lambda, options.gamma = cell.gamma;
    GlassoLatentResult fit = glasso_latent(S, options);
    cell.edges = count_edges(fit.A);
    cell.factors = fit.factors;
    cell.score = score(fit, cell);
    before = std::move(fit);
    options.start = &before;
  }
}

GlassoLatentChoice fit_chosen(const MatrixRef& S, const GlassoLatentSearch& search,
                              std::vector<GlassoLatentScore> grid, bool largest) {
  const auto best = std::min_element(grid.begin(), grid.end(), [=](const auto& a, const auto& b) {
    return largest ? a.score > b.score : a.score < b.score;
  });
  GlassoLatentOptions options = search.final;
  options.lambda = best->lambda, options.gamma = best->gamma;
  GlassoLatentChoice choice{best->lambda, best->gamma, {}, glasso_latent(S, options)};
  choice.scores = std::move(grid);
  return choice;
}

}  // namespace

GlassoLatentChoice glasso_latent_ebic(const MatrixRef& S, double n, double gamma_ebic,
                                      const GlassoLatentSearch& search) {
  if (!(n > 1) || !(gamma_ebic >= 0))
    throw Error("glasso-latent-ebic: at least two samples and ebic >= 0 are needed");
  check_symmetric(S, "glasso-latent-ebic");
  std::vector<GlassoLatentScore> grid = latent_grid(S, search);
  const double p = double(S.rows());
  for_each(kTraces, search.pool, [&](std::size_t row) {
    fit_row(S, search, row, grid, [&](const GlassoLatentResult& fit, const auto& cell) {
      const double r = cell.factors, edges = double(cell.edges);
      return -2 * n * log_likelihood(S, fit.Theta, fit.log_det) +
             (edges + p * r - r * (r - 1) / 2) * std::log(n) + 4 * gamma_ebic * edges * std::log(p);
    });
  });
  return fit_chosen(S, search, std::move(grid), false);
}

GlassoLatentChoice glasso_latent_cv(const MatrixRef& X, int folds,
                                    const GlassoLatentSearch& search) {
  if (folds < 2 || X.rows() < folds)
    throw Error("glasso-latent-cv: at least two folds and as many samples are needed");
  const Matrix S = empirical_covariance(X);
  std::vector<GlassoLatentScore> grid = latent_grid(S, search);
  const std::size_t parts = std::size_t(folds), n = std::size_t(X.rows());
  std::vector<std::vector<GlassoLatentScore>> scores(parts, grid);
  for_each(parts * kTraces, search.pool, [&](std::size_t task) {
    const std::size_t v = task % parts, row = task / parts;
    std::vector<std::uint32_t> held, rest;
    for (std::uint32_t i = 0; i < n; ++i)
      (i >= v * n / parts && i < (v + 1) * n / parts ? held : rest).push_back(i);
    const Matrix train = rows_of(X, rest), test = rows_of(X, held);
    const Matrix S_test = covariance_about(test, column_means(train));
    fit_row(covariance_with_fallback(train, S.diagonal()), search, row, scores[v],
            [&](const GlassoLatentResult& fit, const auto&) {
              return log_likelihood(S_test, fit.Theta, fit.log_det);
            });
  });
  for (std::size_t k = 0; k < grid.size(); ++k)
    for (const auto& each : scores) {
      grid[k].score += each[k].score / double(parts);
      grid[k].edges = each[k].edges, grid[k].factors = each[k].factors;
    }
  return fit_chosen(S, search, std::move(grid), true);
}

}  // namespace spodnet
