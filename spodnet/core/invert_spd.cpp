#include <algorithm>
#include <cmath>

#include "spodnet/core/tri_matrix.hpp"

namespace spodnet {
namespace {

/// A = U'U and R = U'^{-1}, block row by block row from the last one up, all in the place of
/// A^{-1}: U left of the diagonal, R on and right of it. Sums over all rows below stay in
/// registers.
class InverseFactor {
 public:
  InverseFactor(const TriMatrix& A, double* inverse, ThreadPool* pool)
      : A_(A),
        ld_(A.ld()),
        inverse_(inverse),
        pool_(A.p() < kShared ? nullptr : pool),
        slab_(kBlock * ld_),
        rows_(kBlock * ld_) {}

  /// False when the pivot is not SPD.
  bool add_block(std::size_t b) {
    const std::size_t end = b + kBlock;
    for (std::size_t k = 0; k < kBlock; ++k) {
      std::copy_n(A_.row(b + k), end, row(k));
      std::fill(row(k) + end, row(k) + ld_, 0.0);
    }
    for (std::size_t k = end; k < A_.p(); ++k)
      for (std::size_t l = 0; l < kBlock; ++l) slab_[k * kBlock + l] = -inverse_row(k)[b + l];
    if (end < A_.p()) {
      const std::size_t left = shares(end), right = shares(ld_ - end);
      for_each(left + right, [&](std::size_t k) {
        if (k >= left) return add_inverse_rows(end, end + (k - left) * kShare);
        const std::size_t first = k * kShare;
        add(first, std::min(kShare, end - first), end, A_.p() - end);
      });
    }
    return multiply_by_pivot(b);
  }

  /// log det A = -2 sum_k log R_kk, before the first finish_block.
  double log_det() const {
    double sum = 0;
    for (std::size_t k = 0; k < A_.p(); ++k) sum += std::log(inverse_[k * ld_ + k]);
    return -2 * sum;
  }

  /// Rows b .. b + kBlock - 1 of A^{-1} = R'R in the place of R's, which are not read again.
  void finish_block(std::size_t b) {
    const std::size_t size = rows_of(b), width = ld_ - b;
    for_each(shares(width), [&](std::size_t k) {
      const std::size_t first = k * kShare;
      kernels().product(size, std::min(kShare, width - first), b + size, inverse_ + b, 1, ld_,
                        inverse_ + b + first, ld_, row(0) + first, ld_);
    });
    for (std::size_t k = 0; k < size; ++k) std::copy_n(row(k), width, inverse_row(b + k) + b);
  }

 private:
  static constexpr std::size_t kPanel = 3 * kBlock;
  static constexpr std::size_t kShare = 8 * kPanel;  ///< columns of one thread's task
  static constexpr std::size_t kShared = 512;        ///< below this p threads do not pay

  static std::size_t shares(std::size_t columns) { return (columns + kShare - 1) / kShare; }
  template <class Body>
  void for_each(std::size_t count, const Body& body) {
    if (pool_)
      pool_->run(count, [&](std::size_t k, int) { body(k); });
    else
      for (std::size_t k = 0; k < count; ++k) body(k);
  }

  double* row(std::size_t k) { return &rows_[k * ld_]; }
  double* inverse_row(std::size_t r) { return inverse_ + r * ld_; }
  std::size_t rows_of(std::size_t b) const { return std::min(kBlock, A_.p() - b); }

  /// Columns j .. j + width - 1 of the block row: minus the product of U_{:b}' and `count` rows
  /// below, from `first` on.
  void add(std::size_t j, std::size_t width, std::size_t first, std::size_t count) {
    kernels().gemm(kBlock, width, count, &slab_[first * kBlock], 1, kBlock, inverse_row(first) + j,
                   ld_, row(0) + j, ld_);
  }

  /// A share of the columns right of the diagonal block, which ends at `begin`; row k of R begins
  /// with its diagonal block.
  void add_inverse_rows(std::size_t begin, std::size_t first) {
    for (std::size_t j = first; j < std::min(ld_, first + kShare); j += kPanel) {
      const std::size_t end = std::min(j + kPanel, ld_);
      add(j, end - j, begin, std::min(j + kBlock, A_.p()) - begin);
      for (std::size_t k = j + kBlock; k < end; k += kBlock) add(k, end - k, k, rows_of(k));
    }
  }

  /// With the pivot A_bb = L L': all of the block row times L^{-1}, which stands on the diagonal.
  bool multiply_by_pivot(std::size_t b) {
    constexpr std::size_t kHalf = kBlock / 2;
    alignas(64) double R[kBlock * kBlock];
    const std::size_t size = rows_of(b);
    for (std::size_t k = size; k < kBlock; ++k) row(k)[b + k] = 1;
    if (!kernels().invert_factor(row(0) + b, ld_, R)) return false;
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t l = 0; l < kBlock; ++l) row(k)[b + l] = double(k == l);
    const auto multiply = [&](std::size_t first, std::size_t last) {  // L^{-1} is triangular
      kernels().product(last - first, ld_, last, R + first * kBlock, kBlock, 1, row(0), ld_,
                        inverse_row(b + first), ld_);
    };
    multiply(0, std::min(size, kHalf));
    if (size > kHalf) multiply(kHalf, size);
    return true;
  }

  const TriMatrix& A_;
  std::size_t ld_;
  double* inverse_;
  ThreadPool* pool_;
  AlignedVector slab_;  ///< -U_{:b}, a row of kBlock numbers for each row of U below
  AlignedVector rows_;  ///< the block row in work
};

}  // namespace

// Products with A_bb^{-1} itself, as in a sweep over blocks, would square the condition number of
// the pivot; products with the inverse of a larger factor would lose its square root.
bool invert_spd(const TriMatrix& A, double* inverse, double* log_det, ThreadPool* pool) {
  InverseFactor factor(A, inverse, pool);
  for (std::size_t b = A.ld(); b > 0; b -= kBlock)
    if (!factor.add_block(b - kBlock)) return false;
  if (log_det) *log_det = factor.log_det();
  for (std::size_t b = A.ld(); b > 0; b -= kBlock) factor.finish_block(b - kBlock);
  return true;
}

}  // namespace spodnet
