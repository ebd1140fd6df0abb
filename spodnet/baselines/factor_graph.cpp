#include "spodnet/baselines/factor_graph.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/graph/edge.hpp"
#include "spodnet/metrics/likelihood.hpp"

namespace spodnet {
namespace {

constexpr int kDiagonalSteps = 20;      ///< of factor analysis
constexpr double kLeastUnique = 0.02;   ///< variance of a variable beside the factors, there
constexpr double kLeastLoading = 1e-3;  ///< squared, of a start
constexpr Eigen::Index kMostFactors = 8;

Matrix correlations(const MatrixRef& S, const Vector& scale) {
  Matrix R(S.rows(), S.cols());
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) R(i, j) = R(j, i) = S(i, j) / (scale[i] * scale[j]);
  return R;
}

/// The first principal components, less the mean of the other eigenvalues.
Matrix first_loadings(const Matrix& R, Eigen::Index factors) {
  const SortedEigen eigen = sorted_eigen(R);
  const Eigen::Index p = R.rows();
  const double rest = eigen.values.head(p - factors).mean();
  Matrix Lambda(p, factors);
  for (Eigen::Index k = 0; k < factors; ++k)
    Lambda.col(k) = eigen.V.row(p - 1 - k).transpose() *
                    std::sqrt(std::max(eigen.values[p - 1 - k] - rest, kLeastLoading));
  return Lambda;
}

/// One step of the loadings, LA = Lambda' A; returns R B', of which S_e = R - Lambda (R B')'.
Matrix step_loadings(const Matrix& R, const Matrix& LA, Matrix& Lambda) {
  const Eigen::Index r = Lambda.cols();
  const Matrix V = Matrix(Matrix::Identity(r, r) + LA * Lambda).inverse();  // of f given x
  const Matrix B = V * LA, RB = times_transpose(R, B);
  Lambda = RB * Matrix(V + B * RB).inverse();
  return RB;
}

/// S_e, exactly symmetric.
Matrix errors(const Matrix& R, const Matrix& Lambda, const Matrix& RB) {
  Matrix S_e = R - Lambda * RB.transpose();
  symmetrise(S_e);
  return S_e;
}

/// Maximum-likelihood factor analysis, A diagonal; returns S_e.
Matrix factor_analysis(const Matrix& R, Matrix& Lambda) {
  Vector own = R.diagonal() - Lambda.rowwise().squaredNorm();
  Matrix RB;
  for (int k = 0; k < kDiagonalSteps; ++k) {
    const Vector unique = own.cwiseMax(kLeastUnique);
    RB = step_loadings(R, Lambda.transpose() * unique.cwiseInverse().asDiagonal(), Lambda);
    own = R.diagonal() - Lambda.cwiseProduct(RB).rowwise().sum();
  }
  return errors(R, Lambda, RB);
}

void finish(const Matrix& R, double n, FactorGraph& fit) {
  Matrix own;
  if (std::isfinite(spd_inverse(fit.A, own))) {
    fit.W = own + fit.Lambda * fit.Lambda.transpose();
    symmetrise(fit.W);
  }
  const double log_det = fit.W.size() > 0 ? -spd_inverse(fit.W, fit.Theta) : -INFINITY;
  if (!std::isfinite(log_det)) {
    fit.status = Status::not_spd;
    fit.bic = INFINITY;
    return;
  }
  const double numbers =
      double(count_edges(fit.A)) + kLoadingCost * count_loadings(R.rows(), fit.factors());
  fit.bic = -2 * n * log_likelihood(R, fit.Theta, log_det) + numbers * std::log(n);
}

FactorGraph fit_correlations(const Matrix& R, double n, Eigen::Index factors,
                             const EstimateGraph& estimate, int steps = kGraphSteps) {
  FactorGraph fit;
  fit.Lambda = Matrix(R.rows(), factors);
  Matrix S_e = R;
  if (factors > 0) {
    fit.Lambda = first_loadings(R, factors);
    S_e = factor_analysis(R, fit.Lambda);
  }
  fit.A = estimate(S_e);
  for (int k = 1; k < steps && factors > 0; ++k) {
    const Matrix RB = step_loadings(R, transpose_times(fit.Lambda, fit.A), fit.Lambda);
    fit.A = estimate(errors(R, fit.Lambda, RB));
  }
  finish(R, n, fit);
  return fit;
}

Vector scale_of(const MatrixRef& S, double n) {
  check_symmetric(S, "factor graph");
  if (!(S.diagonal().array() > 0).all() || !(n > 1))
    throw Error("factor graph: positive variances and at least two samples are needed");
  return S.diagonal().cwiseSqrt();
}

void to_units(const Vector& scale, FactorGraph& fit) {
  const Vector inverse = scale.cwiseInverse();
  fit.A = correlations(fit.A, scale);
  fit.Lambda = scale.asDiagonal() * fit.Lambda;
  if (fit.status != Status::ok) return;
  fit.Theta = correlations(fit.Theta, scale);
  fit.W = correlations(fit.W, inverse);
}

}  // namespace

FactorGraph fit_factor_graph(const MatrixRef& S, double n, Eigen::Index factors,
                             const EstimateGraph& estimate, int steps) {
  const Vector scale = scale_of(S, n);
  if (factors < 0 || factors >= S.rows())
    throw Error("factor graph: give fewer factors than variables");
  FactorGraph fit = fit_correlations(correlations(S, scale), n, factors, estimate, steps);
  to_units(scale, fit);
  return fit;
}

Eigen::Index most_factors(const MatrixRef& S, double n) {
  const Matrix R = correlations(S, scale_of(S, n));
  const Eigen::Index p = S.rows(), most = std::min(kMostFactors, p / 4);
  const Vector values = sorted_eigen(R).values;
  const double edge = std::pow(1 + std::sqrt(double(p) / n), 2);
  Eigen::Index count = 0;
  while (count < most && values[p - 1 - count] > edge) ++count;
  return count;
}

FactorGraph choose_factor_graph(const MatrixRef& S, double n, const EstimateGraph& estimate) {
  const Vector scale = scale_of(S, n);
  const Matrix R = correlations(S, scale);
  const Eigen::Index most = most_factors(S, n);
  FactorGraph best = fit_correlations(R, n, 0, estimate);
  for (Eigen::Index k = 1; k <= most; ++k) {
    FactorGraph fit = fit_correlations(R, n, k, estimate);
    if (fit.bic < best.bic) best = std::move(fit);
  }
  to_units(scale, best);
  return best;
}

}  // namespace spodnet
