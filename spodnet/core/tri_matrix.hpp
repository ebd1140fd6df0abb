#pragma once

#include <cstddef>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/parallel.hpp"

namespace spodnet {

/// A symmetric p x p matrix, block-lower-triangular (core/kernels.hpp): half the memory traffic of
/// full storage, and exact symmetry off the diagonal blocks by construction.
class TriMatrix {
 public:
  TriMatrix() = default;
  explicit TriMatrix(std::size_t p) : p_(p), ld_(padded(p)), values_(ld_ * ld_) {}

  std::size_t p() const { return p_; }
  std::size_t ld() const { return ld_; }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  double* row(std::size_t r) { return data() + r * ld_; }
  const double* row(std::size_t r) const { return data() + r * ld_; }

  /// First column of row r that is not stored.
  static std::size_t row_end(std::size_t r) { return (r / kBlock + 1) * kBlock; }

  /// Reads the lower triangle of a full matrix with row stride `stride`.
  void assign(const double* full, std::size_t stride);
  /// column (padded length ld) = column i.
  void get_column(std::size_t i, double* column) const;
  void set_column(std::size_t i, const double* column);
  /// Entries 0 .. i of row i were written: they are column i, too; those below stay.
  void mirror_row(std::size_t i);
  void add_to_diagonal(std::size_t i, double value) { row(i)[i] += value; }

 private:
  std::size_t p_ = 0, ld_ = 0;
  AlignedVector values_;
};

/// The inverse of an SPD matrix by Cholesky, p^3 flops: row i of `inverse` (p rows, ld apart) from
/// the diagonal on, padded with zeros; what is left of it is spoilt. Returns false, with all of it
/// spoilt, when a pivot is not positive: A is then not numerically SPD. log_det <- log det A,
/// unless it is null. The threads of `pool` share the work. cholesky.hpp has the same for full
/// matrices.
[[nodiscard]] bool invert_spd(const TriMatrix& A, double* inverse, double* log_det = nullptr,
                              ThreadPool* pool = nullptr);

}  // namespace spodnet
