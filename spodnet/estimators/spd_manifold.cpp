#include "spodnet/estimators/spd_manifold.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "spodnet/core/products.hpp"

namespace spodnet {

Matrix symmetric_part(const Matrix& A) { return 0.5 * (A + A.transpose()); }

double SpdManifold::inner(const Point& Sigma, const Tangent& A, const Tangent& B) const {
  const Eigen::LLT<Matrix> factor(Sigma);
  return solve(factor, A).cwiseProduct(solve(factor, B).transpose()).sum();
}

SpdManifold::Tangent SpdManifold::gradient(const Point& Sigma, const Matrix& G) const {
  return symmetric_part(times(times(Sigma, G), Sigma));
}

SpdManifold::Point SpdManifold::retract(const Point& Sigma, const Tangent& A) const {
  const Matrix step = solve(Eigen::LLT<Matrix>(Sigma), A);  // Sigma^{-1} A
  return symmetric_part(Sigma + A + 0.5 * times(A, step));
}

SpdManifold::Tangent SpdManifold::transport(const Point& Sigma, const Point& Sigma_next,
                                            const Tangent& A) const {
  // With Sigma = C C': E = C (C^{-1} Sigma_next C^{-T})^{1/2} C^{-1}.
  const Eigen::LLT<Matrix> factor(Sigma);
  const Matrix half = solve_half(factor, Sigma_next);
  const Matrix inside = symmetric_part(solve_half(factor, half.transpose()));
  const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(inside).operatorSqrt();
  const Matrix A_half = solve_half(factor, A);
  const Matrix A_inside = symmetric_part(solve_half(factor, A_half.transpose()));
  const Matrix C = factor.matrixL();
  return symmetric_part(times_transpose(times(C, times(times(root, A_inside), root)), C));
}

}  // namespace spodnet
