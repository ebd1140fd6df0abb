#pragma once

#include <algorithm>
#include <cstddef>

namespace spodnet {

/// A symmetric p x p matrix as its lower triangle, row by row: entry (i, j), j <= i, is number
/// i(i+1)/2 + j. One entry stands for two off the diagonal, so elementwise work halves and
/// exact symmetry costs nothing.
constexpr std::size_t packed_size(std::size_t p) { return p * (p + 1) / 2; }

/// packed <- lower triangle of A (row-major, `ld` numbers from row to row).
inline void pack_lower(const double* A, std::size_t p, std::size_t ld, double* packed) {
  for (std::size_t i = 0; i < p; packed += ++i) std::copy_n(A + i * ld, i + 1, packed);
}

/// A <- the full symmetric matrix.
inline void unpack_symmetric(const double* packed, std::size_t p, std::size_t ld, double* A) {
  for (std::size_t i = 0; i < p; packed += ++i)
    for (std::size_t j = 0; j <= i; ++j) A[i * ld + j] = A[j * ld + i] = packed[j];
}

/// <A, B> over the full matrices: off-diagonal entries count twice.
inline double packed_inner(const double* A, const double* B, std::size_t p) {
  double off_diagonal = 0, diagonal = 0;
  for (std::size_t i = 0; i < p; A += i + 1, B += i + 1, ++i) {
    for (std::size_t j = 0; j < i; ++j) off_diagonal += A[j] * B[j];
    diagonal += A[i] * B[i];
  }
  return 2 * off_diagonal + diagonal;
}

/// ||A - B||_F^2 of the full matrices.
inline double packed_distance2(const double* A, const double* B, std::size_t p) {
  double off_diagonal = 0, diagonal = 0;
  for (std::size_t i = 0; i < p; A += i + 1, B += i + 1, ++i) {
    for (std::size_t j = 0; j < i; ++j) off_diagonal += (A[j] - B[j]) * (A[j] - B[j]);
    diagonal += (A[i] - B[i]) * (A[i] - B[i]);
  }
  return 2 * off_diagonal + diagonal;
}

}  // namespace spodnet
