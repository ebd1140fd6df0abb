#include <algorithm>

#include "spodnet/layer/tri_matrix.hpp"

namespace spodnet {
namespace {

/// A = U'U and R = U'^{-1}, block row by block row and in the place of A: R on and left of the
/// diagonal, U right of it. Sums over all rows above stay in registers (left-looking).
class InverseFactor {
 public:
  explicit InverseFactor(TriMatrix& A)
      : A_(A), ld_(A.ld()), slab_(kBlock * ld_), rows_(kBlock * ld_) {}

  /// False when the pivot is not SPD.
  bool add_block(std::size_t b) {
    for (std::size_t k = 0; k < kBlock; ++k) A_.get_column(b + k, row(k));
    for (std::size_t k = 0; k < kBlock; ++k) std::fill_n(row(k), b, 0.0);
    for (std::size_t k = 0; k < b; ++k)
      for (std::size_t l = 0; l < kBlock; ++l) slab_[k * kBlock + l] = -A_.row(k)[b + l];
    const Kernels& kernel = kernels();
    kernel.gemm(kBlock, ld_ - b, b, slab_.data(), 1, kBlock, A_.row(0) + b, ld_, row(0) + b, ld_);
    add_inverse_rows(b);
    return multiply_by_pivot(b);
  }

  /// Rows b .. b + kBlock - 1 of A^{-1} = R'R in the place of R's, which nobody reads again.
  void finish_block(std::size_t b) {
    const std::size_t end = b + kBlock;
    for (std::size_t k = 0; k < kBlock; ++k) std::fill_n(row(k), end, 0.0);
    kernels().gemm(kBlock, end, ld_ - b, A_.row(b) + b, 1, ld_, A_.row(b), ld_, row(0), ld_);
    for (std::size_t k = 0; k < kBlock; ++k) std::copy_n(row(k), end, A_.row(b + k));
  }

 private:
  static constexpr std::size_t kPanel = 3 * kBlock;

  double* row(std::size_t k) { return &rows_[k * ld_]; }

  /// Left of the diagonal: minus the product of U_{:b}' and the rows of R above.
  void add_inverse_rows(std::size_t b) {
    const auto add = [&](std::size_t j, std::size_t width, std::size_t first, std::size_t count) {
      kernels().gemm(kBlock, width, count, &slab_[first * kBlock], 1, kBlock, A_.row(first) + j,
                     ld_, row(0) + j, ld_);
    };
    for (std::size_t j = 0; j < b; j += kPanel) {
      const std::size_t end = std::min(j + kPanel, b);
      for (std::size_t k = j; k + kBlock < end; k += kBlock) add(j, k + kBlock - j, k, kBlock);
      add(j, end - j, end - kBlock, b - end + kBlock);
    }
  }

  /// With the pivot A_bb = L L': all of the block row times L^{-1}, which stands on the diagonal.
  bool multiply_by_pivot(std::size_t b) {
    alignas(64) double R[kBlock * kBlock];
    const std::size_t size = std::min(kBlock, A_.p() - b);
    for (std::size_t k = size; k < kBlock; ++k) row(k)[b + k] = 1;
    if (!kernels().invert_factor(row(0) + b, ld_, R)) return false;
    for (std::size_t k = 0; k < kBlock; ++k) {
      if (k >= size) std::fill_n(R + k * kBlock, kBlock, 0.0);
      for (std::size_t l = 0; l < kBlock; ++l) row(k)[b + l] = double(k == l);
      std::fill_n(A_.row(b + k), ld_, 0.0);
    }
    kernels().gemm(kBlock, ld_, kBlock, R, kBlock, 1, row(0), ld_, A_.row(b), ld_);
    return true;
  }

  TriMatrix& A_;
  std::size_t ld_;
  AlignedVector slab_;  ///< -U_{:b}, a row of kBlock numbers for each row of U above
  AlignedVector rows_;  ///< the block row in work
};

}  // namespace

// Products with A_bb^{-1} itself, as in a sweep over blocks, would square the condition number of
// the pivot; products with the inverse of a larger factor would lose its square root.
bool invert_spd(TriMatrix& A) {
  InverseFactor factor(A);
  for (std::size_t b = 0; b < A.p(); b += kBlock)
    if (!factor.add_block(b)) return false;
  for (std::size_t b = 0; b < A.p(); b += kBlock) factor.finish_block(b);
  return true;
}

}  // namespace spodnet
