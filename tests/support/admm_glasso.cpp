#include "support/admm_glasso.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace spodnet::test {
namespace {

/// argmin over Theta of -log det Theta + <S, Theta> + rho/2 ||Theta - A||^2.
Matrix proximal_log_det(const Matrix& S, const Matrix& A, double rho) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(rho * A - S));
  const Vector d = eigen.eigenvalues();
  const Vector x = (d.array() + (d.array().square() + 4 * rho).sqrt()) / (2 * rho);
  return eigen.eigenvectors() * x.asDiagonal() * eigen.eigenvectors().transpose();
}

Matrix soft_threshold_off_diagonal(const Matrix& A, const Matrix& lambda, double rho) {
  Matrix Z = A;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (i != j)
        Z(i, j) = std::copysign(std::max(0.0, std::abs(A(i, j)) - lambda(i, j) / rho), A(i, j));
  return Z;
}

}  // namespace

Matrix admm_glasso(const Matrix& S, const Matrix& lambda, int max_iterations) {
  const Vector scale = S.diagonal().cwiseSqrt();
  const Matrix D = scale.cwiseInverse().asDiagonal();
  const Matrix R = D * S * D, penalty = D * lambda * D;  // correlations: one rho fits all entries
  Matrix Z = Matrix::Identity(S.rows(), S.cols()), U = 0 * Z;
  double rho = 1;
  for (int k = 0; k < max_iterations; ++k) {
    const Matrix Theta = proximal_log_det(R, Z - U, rho);
    const Matrix Z_next = soft_threshold_off_diagonal(Theta + U, penalty, rho);
    const double primal = (Theta - Z_next).norm(), dual = rho * (Z_next - Z).norm();
    U += Theta - Z_next;
    Z = Z_next;
    if (std::max(primal, dual) < 1e-12 * Z.norm()) break;
    const double factor = primal > 10 * dual ? 2 : dual > 10 * primal ? 0.5 : 1;
    if (k % 10 == 9) rho *= factor, U /= factor;
  }
  return D * Z * D;
}

double glasso_objective(const Matrix& S, const Matrix& lambda, const Matrix& Theta) {
  const Vector d = Eigen::SelfAdjointEigenSolver<Matrix>(Theta).eigenvalues();
  if (d.minCoeff() <= 0) return std::numeric_limits<double>::infinity();
  double sum = -d.array().log().sum() + S.cwiseProduct(Theta).sum();
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      if (i != j && Theta(i, j) != 0) sum += lambda(i, j) * std::abs(Theta(i, j));
  return sum;
}

}  // namespace spodnet::test
