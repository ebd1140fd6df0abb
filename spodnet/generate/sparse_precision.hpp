#pragma once

#include <cstdint>
#include <span>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/generate/signs.hpp"

namespace spodnet {

/// scikit-learn's make_sparse_spd_matrix with the paper's diagonal shift.
struct SparsePrecisionOptions {
  std::size_t p = 20;
  double alpha = 0.95;          ///< probability that an entry of the factor A is zero
  double smallest = 0.1;        ///< the others are uniform in [smallest, largest)
  double largest = 0.9;         ///<
  double diagonal_shift = 0.1;  ///< added to the diagonal: Theta >= diagonal_shift * I
  /// Of the factor's entries. Negative ones make all partial correlations negative; positive ones
  /// (the paper's) make them positive but where products of the factor's entries outweigh.
  Signs signs = Signs::positive;
};

/// A strictly lower triangular p x p factor, entries drawn row by row.
Matrix draw_factor(const SparsePrecisionOptions& options, RandomStream& random);

/// Theta = L^T L + diagonal_shift I with L = -I + B, B = `A[permutation].T[permutation]` in numpy's
/// notation: B_ij = A(permutation_j, permutation_i), no longer triangular but a permutation of A^T.
/// Exactly symmetric, with exact zeros. Cost: sum over rows of L of nonzeros squared, <= p^3 / 2.
Matrix precision_from_factor(const Matrix& A, std::span<const std::uint32_t> permutation,
                             double diagonal_shift);

/// A random sparse SPD matrix, p x p: draws A, then the permutation, from the stream.
Matrix make_sparse_precision(const SparsePrecisionOptions& options, RandomStream& random);

}  // namespace spodnet
