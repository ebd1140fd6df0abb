#include <algorithm>
#include <cmath>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/tridiagonal.hpp"

namespace spodnet {
namespace {

template <class Body>
void share_out(ThreadPool* pool, std::size_t count, const Body& body) {
  if (pool && count > 1)
    pool->run(count, [&](std::size_t k, int) { body(k); });
  else
    for (std::size_t k = 0; k < count; ++k) body(k);
}

/// A = A_0 + sum_k c_k v_k v_k' of which the leading block is left: updates wait until there are
/// kMaxTerms of them, so that a step reads A_0 and does not write it.
class ShrinkingBlock {
 public:
  ShrinkingBlock(std::size_t p, double* A, ThreadPool* pool)
      : ld_(padded(p)), A_(A), pool_(pool), shares_(kMostParts * ld_), V_(kMaxTerms * ld_) {}

  /// Adds what waits to the first `count` entries of row m.
  void complete_row(std::size_t m, std::size_t count) {
    double coef[kMaxTerms];
    for (std::size_t k = 0; k < pending_; ++k) coef[k] = c_[k] * row(k)[m];
    kernels().combine(padded(count), pending_, coef, rows_, A_ + m * ld_);
  }

  /// w (ld) = the leading m x m block times u, of which all after m is 0.
  void product(std::size_t m, const double* u, double* w) {
    const std::size_t end = padded(m), parts = std::clamp<std::size_t>(end / 64, 1, kMostParts);
    const auto cut = [&](std::size_t k) {  // equal areas
      return k == parts ? end
                        : padded(std::size_t(double(end) * std::sqrt(double(k) / double(parts))));
    };
    share_out(pool_, parts, [&](std::size_t k) {
      kernels().symmetric_rows(cut(k), cut(k + 1), ld_, A_, u, &shares_[k * ld_]);
    });
    std::fill(w, w + ld_, 0.0);
    for (std::size_t k = 0; k < parts; ++k) kernels().add(cut(k + 1), &shares_[k * ld_], w);
    double coef[kMaxTerms];
    for (std::size_t k = 0; k < pending_; ++k) coef[k] = c_[k] * kernels().dot(end, row(k), u);
    kernels().combine(end, pending_, coef, rows_, w);
    std::fill(w + m, w + ld_, 0.0);
  }

  /// Where the next two vectors go.
  double* next(std::size_t which) { return row(pending_ + which); }
  /// They are there: A += (x2 x2' - x1 x1') / 2 in the leading m x m block.
  void update(std::size_t m) {
    for (const double c : {-0.5, 0.5}) {
      c_[pending_] = c;
      rows_[pending_] = row(pending_);
      ++pending_;
    }
    if (pending_ == kMaxTerms) apply(m);
  }

  /// All that waits, in the leading m x m block.
  void apply(std::size_t m) {
    constexpr std::size_t kRows = 64;
    for (std::size_t k = 0; k < pending_; ++k) std::fill(row(k) + m, row(k) + ld_, 0.0);
    share_out(pool_, (m + kRows - 1) / kRows, [&](std::size_t block) {
      kernels().rank_update_rows(block * kRows, std::min(m, (block + 1) * kRows), ld_, A_, pending_,
                                 c_, rows_, rows_, ld_);
    });
    pending_ = 0;
  }

 private:
  static constexpr std::size_t kMostParts = 32;

  double* row(std::size_t k) { return &V_[k * ld_]; }

  std::size_t ld_;
  double* A_;
  ThreadPool* pool_;
  AlignedVector shares_;  ///< of a product, one row each
  AlignedVector V_;
  std::size_t pending_ = 0;
  double c_[kMaxTerms];
  const double* rows_[kMaxTerms];
};

}  // namespace

void reduce_large(std::size_t p, double* A, double* d, double* e, double* scratch,
                  ThreadPool* pool) {
  const std::size_t ld = padded(p);
  ShrinkingBlock block(p, A, pool);
  for (std::size_t m = p; m-- > 2;) {
    double* u = A + m * ld;
    block.complete_row(m, m + 1);
    d[m] = u[m];
    e[m - 1] = reflector(m, ld, u);
    block.product(m, u, scratch);
    rank_two_factors(ld, u, scratch, block.next(0), block.next(1));
    block.update(m);
  }
  const std::size_t left = std::min<std::size_t>(p, 2);
  block.apply(left);
  for (std::size_t i = 0; i < left; ++i) d[i] = A[i * ld + i];
  if (p > 1) e[0] = A[ld];
}

// H_a ... H_b = I - U' T U of up to kWidth reflectors; rows of M are independent of each other.
void reflector_basis_large(std::size_t p, const double* A, double* M, ThreadPool* pool) {
  constexpr std::size_t kWidth = 32, kRows = 16;  // so many rows of M stay in cache
  const std::size_t ld = padded(p);
  AlignedVector U_columns(kWidth * ld), products(2 * kWidth * ld);
  std::vector<double> T(kWidth * kWidth);
  std::fill(M, M + p * ld, 0.0);
  for (std::size_t i = 0; i < p; ++i) M[i * ld + i] = 1;
  for (std::size_t first = 2; first < p; first += kWidth) {
    const std::size_t count = std::min(kWidth, p - first), rows = first + count - 1;
    const double* U = A + first * ld;
    reflector_product(ld, U, count, kWidth, T.data());
    for (double& t : T) t = -t;
    std::fill(U_columns.begin(), U_columns.end(), 0.0);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t j = 0; j < rows; ++j) U_columns[j * kWidth + k] = U[k * ld + j];
    share_out(pool, (rows + kRows - 1) / kRows, [&](std::size_t block) {
      const std::size_t r = block * kRows, some = std::min(kRows, rows - r);
      double *MU = &products[2 * r * kWidth], *MUT = MU + some * kWidth;
      kernels().product(some, kWidth, rows, M + r * ld, ld, 1, U_columns.data(), kWidth, MU,
                        kWidth);
      kernels().product(some, kWidth, kWidth, MU, kWidth, 1, T.data(), kWidth, MUT, kWidth);
      kernels().gemm(some, padded(rows), count, MUT, kWidth, 1, U, ld, M + r * ld, ld);
    });
  }
}

}  // namespace spodnet
