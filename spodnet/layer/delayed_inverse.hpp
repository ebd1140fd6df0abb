#pragma once

#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/tri_matrix.hpp"

namespace spodnet {

/// A large symmetric W under rank-2 updates, on all cores. Memory is what limits it, so updates
/// wait: W = W_0 + sum_k c_k v_k v_k' with up to kMostPending vectors v_k, which stay in cache, and
/// are applied to W_0 together. What cannot be avoided are two products with W_0 for each column of
/// a walk, the second one with a sparse vector. Work is cut by p alone: the same bits for any
/// number of threads.
class DelayedInverse {
 public:
  DelayedInverse() = default;
  /// The threads of `pool`; null: the calling one. A call has the pool to itself.
  DelayedInverse(std::size_t p, ThreadPool* pool);

  ThreadPool* pool() const { return pool_; }
  std::size_t p() const { return W_.p(); }
  std::size_t ld() const { return W_.ld(); }

  /// W = A (p x p, symmetric, contiguous) + offset I.
  void assign(const double* A, double offset);
  /// The matrix behind it while nothing is pending: its block-lower triangle counts.
  const TriMatrix& triangle() const { return W_; }

  /// w (ld) = column i.
  void column(std::size_t i, double* w) const;
  /// out (ld) = W x; x is padded with zeros. Reads p^2 / 2 numbers, or p for each entry of x that
  /// is not 0 where that is less.
  void product(const double* x, double* out);
  /// W += c x x' (ld numbers, copied).
  void update(double c, const double* x);

 private:
  static constexpr std::size_t kMostPending = 2 * kMaxTerms;
  static constexpr std::size_t kRowsAtATime = 64;      ///< of W_0 when updates are applied
  static constexpr std::size_t kColumnsAtATime = 512;  ///< of a vector

  template <class Body>
  void for_each(std::size_t count, const Body& body) const;
  template <class Body>
  void for_columns(const Body& body) const;  ///< body(first, number of columns)

  void dense_product(const double* x);  ///< shares_
  void sparse_rows(const double* x);    ///< coef_, rows_
  void apply();
  void mirror(std::size_t first, std::size_t last);

  TriMatrix W_;  ///< both halves are kept
  ThreadPool* pool_ = nullptr;
  std::vector<std::size_t> cuts_;  ///< rows of the shares of a product
  AlignedVector shares_;           ///< one row each
  AlignedVector V_;                ///< pending vectors, one row each
  std::size_t pending_ = 0;
  double c_[kMostPending];
  std::vector<double> coef_;  ///< of the rows that a product adds up
  std::vector<const double*> rows_;
};

}  // namespace spodnet
