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
  kernels().triangle_column(ld_, data(), i, 0, nullptr, 0, nullptr, column);
}

void TriMatrix::set_row(std::size_t i, const double* values) {
  std::copy_n(values, i + 1, row(i));
  for (std::size_t r = i / kBlock * kBlock; r < i; ++r) row(r)[i] = values[r];
}

void TriMatrix::set_column(std::size_t i, const double* column) {
  const std::size_t end = row_end(i);
  std::copy_n(column, end, row(i));
  for (std::size_t r = end - kBlock; r < ld_; ++r) row(r)[i] = column[r];
}

namespace {

/// R = L^{-1} for the pivot A_bb = L L' (kBlock x kBlock, row stride ld); false when A_bb is not
/// SPD. Beyond `size` A_bb is padded with the identity, so that every loop has a fixed length.
bool invert_factor(const double* A, std::size_t ld, std::size_t size, double R[kBlock][kBlock]) {
  double L[kBlock][kBlock] = {};
  for (std::size_t r = 0; r < kBlock; ++r)
    for (std::size_t c = 0; c <= r; ++c) L[r][c] = r < size ? A[r * ld + c] : double(r == c);
  for (std::size_t k = 0; k < kBlock; ++k) {
    const double pivot = L[k][k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / std::sqrt(pivot);
    for (std::size_t r = k; r < kBlock; ++r) L[r][k] *= inverse;
    for (std::size_t r = k + 1; r < kBlock; ++r)
      for (std::size_t c = k + 1; c <= r; ++c) L[r][c] -= L[r][k] * L[c][k];
  }
  for (std::size_t r = 0; r < kBlock; ++r) {
    for (std::size_t c = 0; c < kBlock; ++c) R[r][c] = double(r == c);
    for (std::size_t k = 0; k < r; ++k)
      for (std::size_t c = 0; c <= k; ++c) R[r][c] -= L[r][k] * R[k][c];
    for (std::size_t c = 0; c <= r; ++c) R[r][c] /= L[r][r];
  }
  return true;
}

}  // namespace

// One sweep step on block b, with A_bb = L L', R = L^{-1}, B = R A_b: and all other rows:
//   A_rc -= B_r' B_c,  A_rb = B_r' R,  A_bb = -R' R;  after all blocks A holds -A^{-1}.
// Products with A_bb^{-1} itself would square the condition number of the pivot.
bool invert_spd(TriMatrix& A) {
  const Kernels& kernel = kernels();
  const std::size_t p = A.p(), ld = A.ld();
  AlignedVector block_row(kBlock * ld), B(kBlock * ld), minus_B(kBlock * ld);
  double R[kBlock][kBlock];
  for (std::size_t b = 0; b < p; b += kBlock) {
    const std::size_t size = std::min(kBlock, p - b);
    for (std::size_t k = 0; k < kBlock; ++k) {
      A.get_column(b + k, &block_row[k * ld]);
      std::fill_n(&block_row[k * ld + b], kBlock, 0.0);
    }
    if (!invert_factor(A.row(b) + b, ld, size, R)) return false;
    std::fill(B.begin(), B.end(), 0.0);
    kernel.gemm(size, ld, size, R[0], kBlock, 1, block_row.data(), ld, B.data(), ld);
    for (std::size_t k = 0; k < kBlock * ld; ++k) minus_B[k] = -B[k];
    for (std::size_t r = 0; r < p; r += kBlock)
      if (r != b)
        kernel.gemm(kBlock, r + kBlock, size, &B[r], 1, ld, minus_B.data(), ld, A.row(r), ld);
    for (std::size_t k = 0; k < size; ++k) std::copy_n(R[k], size, &B[k * ld + b]);
    std::fill(block_row.begin(), block_row.end(), 0.0);
    kernel.gemm(size, ld, size, R[0], 1, kBlock, B.data(), ld, block_row.data(), ld);
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t c = 0; c < size; ++c) block_row[k * ld + b + c] *= -1;
      A.set_column(b + k, &block_row[k * ld]);
    }
  }
  for (std::size_t r = 0; r < p; ++r) {
    double* row = A.row(r);
    for (std::size_t c = 0; c < TriMatrix::row_end(r); ++c) row[c] = -row[c];
  }
  return true;
}

}  // namespace spodnet
