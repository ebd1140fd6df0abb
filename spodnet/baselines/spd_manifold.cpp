#include "spodnet/baselines/spd_manifold.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace spodnet {

Matrix symmetric_part(const Matrix& A) { return 0.5 * (A + A.transpose()); }

double SpdManifold::inner(const Point& Sigma, const Tangent& A, const Tangent& B) const {
  const Eigen::LLT<Matrix> factor(Sigma);
  return Matrix(factor.solve(A)).cwiseProduct(Matrix(factor.solve(B)).transpose()).sum();
}

SpdManifold::Tangent SpdManifold::gradient(const Point& Sigma, const Matrix& G) const {
  return symmetric_part(Sigma * G * Sigma);
}

SpdManifold::Point SpdManifold::retract(const Point& Sigma, const Tangent& A) const {
  const Matrix step = Eigen::LLT<Matrix>(Sigma).solve(A);  // Sigma^{-1} A
  return symmetric_part(Sigma + A + 0.5 * A * step);
}

SpdManifold::Tangent SpdManifold::transport(const Point& Sigma, const Point& Sigma_next,
                                            const Tangent& A) const {
  // With Sigma = C C': E = C (C^{-1} Sigma_next C^{-T})^{1/2} C^{-1}.
  const Eigen::LLT<Matrix> factor(Sigma);
  const auto C = factor.matrixL();
  const Matrix half = C.solve(Sigma_next);
  const Matrix inside = symmetric_part(C.solve(half.transpose()));
  const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(inside).operatorSqrt();
  const Matrix A_half = C.solve(A);
  const Matrix moved = root * symmetric_part(C.solve(A_half.transpose())) * root;
  const Matrix C_dense = C;
  return symmetric_part(C_dense * moved * C_dense.transpose());
}

}  // namespace spodnet
