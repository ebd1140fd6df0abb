#pragma once

#include <vector>

#include "spodnet/core/tri_matrix.hpp"

namespace spodnet {

/// A symmetric matrix for quadratic forms alone, in a quarter of its memory: what is left of the
/// diagonal, twice, in single precision, and the diagonal as it is. Block row b has kBlock rows of
/// kBlock (b + 1) numbers, one after the other, with zeros from the diagonal on.
class SingleTriangle {
 public:
  SingleTriangle() = default;
  explicit SingleTriangle(std::size_t p);

  /// Takes rows [first, last) of A; `first` is a multiple of kBlock.
  void assign_rows(const TriMatrix& A, std::size_t first, std::size_t last);
  /// The share of rows [first, last), multiples of kBlock, in x'A x; shares of all rows add up to
  /// it. x is padded with zeros.
  double form(std::size_t first, std::size_t last, const double* x) const;
  /// About the standard deviation of the form's rounding error, from above: 2^-24 sum_i A_ii x_i^2
  /// for a positive definite A, whose entries are no larger than sqrt(A_ii A_jj).
  double rounding(const double* x) const;

 private:
  std::vector<float, AlignedAllocator<float>> rows_;
  AlignedVector diagonal_;
};

}  // namespace spodnet
