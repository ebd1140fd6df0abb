#include "support/proximal_glasso.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace spodnet::test {
namespace {

Matrix projected_step(const Matrix& A, double threshold, const Constraints& constraints) {
  Matrix Z = A;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (i != j) Z(i, j) = std::copysign(std::max(0.0, std::abs(A(i, j)) - threshold), A(i, j));
  constraints.impose(Z);
  return Z;
}

/// -log det Theta + <S, Theta>; infinite when Theta is not SPD.
double smooth_part(const Matrix& S, const Matrix& Theta) {
  const Eigen::LLT<Matrix> cholesky(Theta);
  if (cholesky.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  return S.cwiseProduct(Theta).sum() - 2 * cholesky.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

Matrix proximal_glasso(const Matrix& S, double lambda, const Constraints& constraints,
                       int max_iterations) {
  const Matrix identity = Matrix::Identity(S.rows(), S.cols());
  Matrix Theta = S.diagonal().cwiseInverse().asDiagonal();
  double t = 1;
  for (int k = 0; k < max_iterations; ++k) {
    const Matrix gradient = S - Theta.llt().solve(identity);
    const double value = smooth_part(S, Theta);
    Matrix next;
    for (t *= 2;; t /= 2) {
      next = projected_step(Theta - t * gradient, t * lambda, constraints);
      const Matrix d = next - Theta;
      const double bound = value + gradient.cwiseProduct(d).sum() + d.squaredNorm() / (2 * t);
      if (smooth_part(S, next) <= bound + 1e-14 * std::abs(value)) break;
    }
    const double moved = (next - Theta).norm();
    Theta = next;
    if (moved < 1e-13 * t * Theta.norm()) break;
  }
  return Theta;
}

}  // namespace spodnet::test
