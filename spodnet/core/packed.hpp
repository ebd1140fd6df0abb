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

}  // namespace spodnet
