#include "spodnet/estimators/columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kConditionOfRepaired = 1e3;

void check_columns_cv(const MatrixRef& X, const ColumnsCvOptions& options) {
  if (options.folds < 2 || options.count < 1 || !(options.ratio > 0 && options.ratio < 1))
    throw Error("cross-validation: folds must be at least 2, count at least 1, ratio in (0, 1)");
  if (X.rows() < options.folds)
    throw Error(fmt::format(
        "cross-validation: {} sample{} cannot fill {} folds; give more samples or fewer folds",
        X.rows(), X.rows() == 1 ? "" : "s", options.folds));
}

}  // namespace

ColumnsResult join_columns(const Matrix& B, double lambda) {
  const Eigen::Index p = B.rows();
  ColumnsResult out;
  out.lambda = lambda;
  Matrix& Theta = out.Theta = B;
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      Theta(i, j) = Theta(j, i) = std::abs(B(i, j)) < std::abs(B(j, i)) ? B(i, j) : B(j, i);
  if (!Theta.allFinite()) {
    out.status = Status::not_finite;
    return out;
  }
  if (!std::isfinite(spd_inverse(Theta, out.W))) {
    const Vector values = sorted_eigen(Theta).values;
    const double largest = std::max(std::abs(values[0]), std::abs(values[p - 1]));
    out.status = Status::not_spd;
    out.smallest = values[0];
    out.shift = (largest > 0 ? largest : 1) / kConditionOfRepaired - std::min(values[0], 0.0);
    Theta.diagonal().array() += out.shift;
    (void)spd_inverse(Theta, out.W);
  }
  out.residual = inverse_residual(Theta, out.W);
  return out;
}

ColumnsCvResult choose_columns(const MatrixRef& X, double lambda_max, const ColumnsPath& path,
                               const ColumnsCvOptions& options) {
  check_columns_cv(X, options);
  const Matrix S = empirical_covariance(X);
  std::vector<double> lambdas = {lambda_max};
  if (lambda_max > 0 && options.count > 1)
    lambdas = log_spaced(lambda_max, options.ratio * lambda_max, options.count);
  const std::vector<CovarianceFold> folds =
      covariance_folds(X, S.diagonal(), options.folds, options.pool);
  ColumnsCvResult result;
  for (double lambda : lambdas) result.scores.push_back({lambda, 0, {}});
  for (const CovarianceFold& fold : folds) {
    const std::vector<ColumnsResult> fits = path(fold.S, fold.n, lambdas);
    for (std::size_t l = 0; l < lambdas.size(); ++l)
      result.scores[l].folds.push_back(fits[l].status == Status::not_converged
                                           ? -std::numeric_limits<double>::infinity()
                                           : log_likelihood(fold.S_test, fits[l].Theta));
  }
  const double best = lambdas[finish_scores(result.scores)];
  result.fit = path(S, double(X.rows()), {&best, 1}).front();
  return result;
}

}  // namespace spodnet
