#include "spodnet/layer/tri_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

void TriMatrix::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

void TriMatrix::assign(const double* full, std::size_t stride) {
  for (std::size_t r = 0; r < p_; ++r) {
    std::copy_n(full + r * stride, r + 1, row(r));
    const std::size_t block = r / kBlock * kBlock;
    for (std::size_t c = block; c < r; ++c) row(c)[r] = row(r)[c];
  }
}

void TriMatrix::expand(double* full, std::size_t stride) const {
  for (std::size_t r = 0; r < p_; ++r) {
    std::copy_n(row(r), r + 1, full + r * stride);
    for (std::size_t c = 0; c < r; ++c) full[c * stride + r] = row(r)[c];
  }
}

void TriMatrix::get_column(std::size_t i, double* column) const {
  const std::size_t end = row_end(i);
  std::copy_n(row(i), end, column);
  for (std::size_t r = end; r < ld_; ++r) column[r] = row(r)[i];
}

void TriMatrix::set_column(std::size_t i, const double* column) {
  const std::size_t end = row_end(i);
  std::copy_n(column, end, row(i));
  for (std::size_t r = end - kBlock; r < ld_; ++r) row(r)[i] = column[r];
}

namespace {

/// Replaces the kBlock x kBlock pivot (row stride ld) by its inverse; false when not SPD. Beyond
/// `size` it is padded with the identity, so that every loop has a fixed length.
bool invert_pivot(double* A, std::size_t ld, std::size_t size) {
  double D[kBlock][kBlock];
  for (std::size_t r = 0; r < kBlock; ++r)
    for (std::size_t c = 0; c < kBlock; ++c)
      D[r][c] = r < size && c < size ? A[r * ld + c] : double(r == c);
  for (std::size_t k = 0; k < kBlock; ++k) {
    const double pivot = D[k][k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    double row[kBlock];
    for (std::size_t c = 0; c < kBlock; ++c) row[c] = D[k][c] * inverse;
    for (std::size_t r = 0; r < kBlock; ++r) {
      const double factor = D[r][k];
      for (std::size_t c = 0; c < kBlock; ++c) D[r][c] -= factor * row[c];
    }
    for (std::size_t c = 0; c < kBlock; ++c) D[k][c] = D[c][k] = row[c];
    D[k][k] = -inverse;
  }
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) A[r * ld + c] = -D[r][c];
  return true;
}

}  // namespace

// One sweep step on block b, with D = A_bb^{-1}, B = D A_b: and all other rows:
//   A_rc -= A_rb D A_bc,  A_rb = A_rb D,  A_bb = -D;  after all blocks A holds -A^{-1}.
bool invert_spd(TriMatrix& A) {
  const Kernels& kernel = kernels();
  const std::size_t p = A.p(), ld = A.ld();
  AlignedVector block_row(kBlock * ld), scaled(kBlock * ld);  // A_b: and -D A_b:
  for (std::size_t b = 0; b < p; b += kBlock) {
    const std::size_t size = std::min(kBlock, p - b);
    for (std::size_t k = 0; k < kBlock; ++k) {
      A.get_column(b + k, &block_row[k * ld]);
      std::fill_n(&block_row[k * ld + b], kBlock, 0.0);
    }
    double* D = A.row(b) + b;
    if (!invert_pivot(D, ld, size)) return false;
    std::fill(scaled.begin(), scaled.end(), 0.0);
    kernel.gemm(size, ld, size, D, ld, 1, block_row.data(), ld, scaled.data(), ld);
    for (double& x : scaled) x = -x;
    for (std::size_t r = 0; r < p; r += kBlock)
      if (r != b)
        kernel.gemm(kBlock, r + kBlock, size, &block_row[r], 1, ld, scaled.data(), ld, A.row(r),
                    ld);
    for (std::size_t k = 0; k < size; ++k) {
      double* column = &scaled[k * ld];
      for (std::size_t r = 0; r < ld; ++r) column[r] = -column[r];
      for (std::size_t c = 0; c < kBlock; ++c) column[b + c] = -D[k * ld + c];
    }
    for (std::size_t k = 0; k < size; ++k) A.set_column(b + k, &scaled[k * ld]);
  }
  for (std::size_t r = 0; r < p; ++r) {
    double* row = A.row(r);
    for (std::size_t c = 0; c < TriMatrix::row_end(r); ++c) row[c] = -row[c];
  }
  return true;
}

}  // namespace spodnet
