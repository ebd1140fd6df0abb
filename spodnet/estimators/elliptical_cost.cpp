#include "spodnet/estimators/elliptical_cost.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "spodnet/core/products.hpp"

namespace spodnet {
namespace {

/// eps log cosh(t / eps) without overflow.
double smooth_abs(double t, double eps) {
  const double u = std::abs(t) / eps;
  return eps * (u + std::log1p(std::exp(-2 * u)) - std::numbers::ln2);
}

Matrix inverse_of(const Eigen::LLT<Matrix>& factor) {
  const Eigen::Index p = factor.rows();
  const Matrix Theta = solve(factor, Matrix::Identity(p, p));
  return 0.5 * (Theta + Theta.transpose());
}

}  // namespace

double EllipticalCost::value(const Matrix& Sigma) const {
  const auto n = double(X.rows()), p = double(X.cols());
  const Eigen::LLT<Matrix> factor(Sigma);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const Matrix Theta = inverse_of(factor);
  const Matrix X_Theta = times(X, Theta);
  const double logdet = 2 * factor.matrixLLT().diagonal().array().log().sum();
  const Vector q = X_Theta.cwiseProduct(X).rowwise().sum();
  double penalty = 0;
  for (Eigen::Index a = 0; a < Theta.rows(); ++a)
    for (Eigen::Index b = 0; b < a; ++b) penalty += 2 * smooth_abs(Theta(a, b), eps);
  return 0.5 * logdet + (nu + p) / (2 * n) * (nu + q.array()).log().sum() + lambda * penalty;
}

Matrix EllipticalCost::gradient(const Matrix& Sigma) const {
  const auto n = double(X.rows()), p = double(X.cols());
  const Matrix Theta = inverse_of(Eigen::LLT<Matrix>(Sigma));
  const Matrix X_Theta = times(X, Theta);
  const Vector q = X_Theta.cwiseProduct(X).rowwise().sum();
  const Vector w = (nu + p) / (n * (nu + q.array()));
  Matrix T = (Theta / eps).array().tanh();
  T.diagonal().setZero();
  // Theta (Sigma - Psi) Theta = Theta - (X Theta)' diag(w) (X Theta)
  const Matrix weighted = w.asDiagonal() * X_Theta;
  const Matrix G =
      0.5 * (Theta - transpose_times(weighted, X_Theta)) - times(lambda * times(Theta, T), Theta);
  return 0.5 * (G + G.transpose());
}

}  // namespace spodnet
