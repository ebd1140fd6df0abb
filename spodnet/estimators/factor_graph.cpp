#include "spodnet/estimators/factor_graph.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

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
Matrix first_loadings(const SortedEigen& eigen, Eigen::Index factors) {
  const Eigen::Index p = eigen.values.size();
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
    leave_if_stopped();
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

/// `Lambda`: loadings to start from.
FactorGraph fit_correlations(const Matrix& R, double n, Matrix Lambda,
                             const EstimateGraph& estimate, int steps = kGraphSteps) {
  FactorGraph fit;
  fit.Lambda = std::move(Lambda);
  const Eigen::Index factors = fit.factors();
  const Matrix S_e = factors > 0 ? factor_analysis(R, fit.Lambda) : R;
  fit.A = estimate(S_e);
  for (int k = 1; k < steps && factors > 0; ++k) {
    const Matrix RB = step_loadings(R, transpose_times(fit.Lambda, fit.A), fit.Lambda);
    fit.A = estimate(errors(R, fit.Lambda, RB));
  }
  finish(R, n, fit);
  return fit;
}

/// By the eigenvalues of the correlations, ascending.
Eigen::Index most_factors(const Vector& values, double n) {
  const Eigen::Index p = values.size(), most = std::min(kMostFactors, p / 4);
  const double edge = std::pow(1 + std::sqrt(double(p) / n), 2);
  Eigen::Index count = 0;
  while (count < most && values[p - 1 - count] > edge) ++count;
  return count;
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
  const Matrix R = correlations(S, scale);
  Matrix Lambda(S.rows(), 0);
  if (factors > 0) Lambda = first_loadings(sorted_eigen(R), factors);
  FactorGraph fit = fit_correlations(R, n, std::move(Lambda), estimate, steps);
  to_units(scale, fit);
  return fit;
}

Eigen::Index most_factors(const MatrixRef& S, double n) {
  return most_factors(sorted_eigen(correlations(S, scale_of(S, n))).values, n);
}

FactorGraphChoice::FactorGraphChoice(const MatrixRef& S, double n)
    : n_(n), scale_(scale_of(S, n)), R_(correlations(S, scale_)) {
  const SortedEigen eigen = sorted_eigen(R_);
  const Eigen::Index most = most_factors(eigen.values, n);
  for (Eigen::Index k = 0; k <= most; ++k) starts_.push_back(first_loadings(eigen, k));
  fits_.resize(starts_.size());
}

void FactorGraphChoice::fit(std::size_t factors, const EstimateGraph& estimate) {
  fits_[factors] = fit_correlations(R_, n_, std::move(starts_[factors]), estimate);
}

FactorGraph FactorGraphChoice::best() {
  std::size_t best = 0;
  for (std::size_t k = 1; k < fits_.size(); ++k)
    if (fits_[k].bic < fits_[best].bic) best = k;
  to_units(scale_, fits_[best]);
  return std::move(fits_[best]);
}

FactorGraph choose_factor_graph(const MatrixRef& S, double n, const EstimateGraph& estimate) {
  FactorGraphChoice choice(S, n);
  for (std::size_t k = 0; k < choice.count(); ++k) choice.fit(k, estimate);
  return choice.best();
}

}  // namespace spodnet
