#include "spodnet/core/products.hpp"

namespace spodnet {

Matrix times(const Matrix& A, const Matrix& B) { return A * B; }

Matrix transpose_times(const Matrix& A, const Matrix& B) { return A.transpose() * B; }

Matrix times_transpose(const Matrix& A, const Matrix& B) { return A * B.transpose(); }

Matrix scaled_both(const Vector& a, const Matrix& B, const Vector& c) {
  return a.asDiagonal() * B * c.asDiagonal();
}

Matrix solve(const Eigen::LLT<Matrix>& A, const Matrix& B) { return A.solve(B); }

Matrix solve_half(const Eigen::LLT<Matrix>& A, const Matrix& B) { return A.matrixL().solve(B); }

}  // namespace spodnet
