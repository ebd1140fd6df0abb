#pragma once

#include <Eigen/Cholesky>

#include "spodnet/core/types.hpp"

namespace spodnet {

// Eigen's products and solves as plain functions: each is compiled once, where an expression would
// be compiled again in every source. For code that is not the inner loop of a layer (kernels.hpp).

/// A B.
Matrix times(const Matrix& A, const Matrix& B);

/// A' B.
Matrix transpose_times(const Matrix& A, const Matrix& B);

/// A B'.
Matrix times_transpose(const Matrix& A, const Matrix& B);

/// diag(a) B diag(c).
Matrix scaled_both(const Vector& a, const Matrix& B, const Vector& c);

/// A^{-1} B for A = C C'.
Matrix solve(const Eigen::LLT<Matrix>& A, const Matrix& B);

/// C^{-1} B for A = C C'.
Matrix solve_half(const Eigen::LLT<Matrix>& A, const Matrix& B);

}  // namespace spodnet
