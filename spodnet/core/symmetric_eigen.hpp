#pragma once

#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A = V' diag(y) V of a symmetric p x p matrix: row k of V is the eigenvector of y_k. Kept
/// between calls with its scratch, so that a loop over matrices of one size allocates nothing.
struct SymmetricEigen {
  std::size_t p = 0;
  std::size_t ld = 0;  ///< numbers from row to row of V: p padded with zeros (kernels.hpp)
  AlignedVector V;     ///< p rows, orthonormal
  AlignedVector y;     ///< p, in no particular order
  AlignedVector A, e, scratch;

  void resize(std::size_t p);
};

/// Eigendecomposition of the matrix of which the lower triangle stands row by row in `lower` (see
/// packed.hpp): Householder reduction to tridiagonal form, then implicit QL with Wilkinson's shift.
/// Errors are a small multiple of eps ||A||. not_finite when A is; not_converged was never seen.
/// Cost: 8/3 p^3 for the reduction and its basis, about 6 p^3 for the rotations, which the threads
/// of `pool` share from p = 512 and 256 on; the result does not depend on them.
[[nodiscard]] Status symmetric_eigen(const double* lower, SymmetricEigen& out,
                                     ThreadPool* pool = nullptr);

/// The numbers of the eigenvalues, ascending.
std::vector<std::size_t> ascending_order(const SymmetricEigen& eigen);

/// The same in order, for code that is no inner loop: A = V' diag(values) V, values ascending.
/// Throws Error when A is not finite.
struct SortedEigen {
  Vector values;
  Matrix V;  ///< an eigenvector in each row
};
SortedEigen sorted_eigen(const MatrixRef& A);

}  // namespace spodnet
