#include "spodnet/estimators/factor_model.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/estimators/conjugate_gradient.hpp"
#include "spodnet/estimators/elliptical_cost.hpp"
#include "spodnet/estimators/factor_manifold.hpp"
#include "spodnet/estimators/spd_manifold.hpp"

namespace spodnet {
namespace {

const Matrix& covariance(const Matrix& Sigma) { return Sigma; }
Matrix covariance(const FactorManifold::Point& x) { return FactorManifold::covariance(x); }

/// The elliptical cost as a function on a manifold.
template <class Manifold>
struct CostOn {
  const Manifold& manifold;
  const EllipticalCost& cost;
  double value(const typename Manifold::Point& x) const { return cost.value(covariance(x)); }
  typename Manifold::Tangent gradient(const typename Manifold::Point& x) const {
    return manifold.gradient(x, cost.gradient(covariance(x)));
  }
};

void check(const MatrixRef& X, const FactorModelOptions& options) {
  const std::string where = "fit_factor_model: ";
  if (X.rows() < 2)
    throw Error(where + std::to_string(X.rows()) + " sample(s): at least two are needed");
  if (X.cols() < 1) throw Error(where + "the samples have no variables");
  if (!X.allFinite()) throw Error(where + "the samples hold NaN or infinity: fill or remove them");
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    if ((X.col(j).array() == X(0, j)).all())
      throw Error(where + "variable " + std::to_string(j + 1) +
                  " is constant: its variance has no estimate, remove it");
  if (options.model == CovarianceModel::factor &&
      (options.rank < 1 || options.rank > std::size_t(X.cols())))
    throw Error(where + "rank " + std::to_string(options.rank) +
                " must be between 1 and p = " + std::to_string(X.cols()));
  if (options.lambda.empty()) throw Error(where + "no lambda is given");
  for (double lambda : options.lambda)
    if (!(lambda >= 0 && std::isfinite(lambda)))
      throw Error(where + "lambda must be a finite number, zero or more");
  if (!(options.nu > 0 && std::isfinite(options.nu)))
    throw Error(where + "nu must be a positive number (1000 stands for the Gaussian)");
  if (options.iterations < 1) throw Error(where + "iterations must be at least 1");
}

/// k leading eigenvectors of X'X/n, L = I, d = 1.
FactorManifold::Point factor_start(const Matrix& X, std::size_t rank) {
  const Eigen::Index p = X.cols(), k = Eigen::Index(rank);
  const Matrix S = transpose_times(X, X) / double(X.rows());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(S);
  return {eigen.eigenvectors().rightCols(k).rowwise().reverse(), Matrix::Identity(k, k),
          Vector::Ones(p)};
}

template <class Manifold>
FactorModelResult fit_on(const Manifold& manifold, typename Manifold::Point x, EllipticalCost cost,
                         const FactorModelOptions& options) {
  FactorModelResult result;
  for (double lambda : options.lambda) {
    cost.lambda = lambda;
    const CostOn<Manifold> f{manifold, cost};
    auto fit = minimise(manifold, f, std::move(x), {.max_iterations = options.iterations});
    x = std::move(fit.x);
    result.objective = fit.cost;
    result.gradient_norm = fit.gradient_norm;
    result.steps += fit.steps;
    result.converged = fit.converged;
  }
  result.Sigma = covariance(x);
  return result;
}

}  // namespace

FactorModelOptions egfm_options() { return {}; }

FactorModelOptions ggfm_options() { return {.lambda = {3.5}, .nu = 1000}; }

FactorModelOptions egm_options() {
  return {.model = CovarianceModel::full, .lambda = {0, 0.1, 0.2}};
}

FactorModelOptions ggm_options() {
  return {.model = CovarianceModel::full, .lambda = {0.075}, .nu = 1000};
}

FactorModelResult fit_factor_model(const MatrixRef& X, const FactorModelOptions& options) {
  check(X, options);
  EllipticalCost cost{.X = X.rowwise() - X.colwise().mean(), .nu = options.nu};
  FactorModelResult result =
      options.model == CovarianceModel::factor
          ? fit_on(FactorManifold(), factor_start(cost.X, options.rank), cost, options)
          : fit_on(SpdManifold(), Matrix::Identity(X.cols(), X.cols()), cost, options);
  const Eigen::LLT<Matrix> factor(result.Sigma);
  const Matrix Theta = solve(factor, Matrix::Identity(X.cols(), X.cols()));
  result.Theta = symmetric_part(Theta);
  if (!std::isfinite(result.objective) || !result.Theta.allFinite())
    result.status = Status::not_finite;
  else if (factor.info() != Eigen::Success ||
           Eigen::LLT<Matrix>(result.Theta).info() != Eigen::Success)
    result.status = Status::not_spd;
  return result;
}

}  // namespace spodnet
