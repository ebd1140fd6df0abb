#pragma once

#include "spodnet/core/tri_matrix.hpp"
#include "spodnet/layer/tape.hpp"

namespace spodnet {

/// G = dL/dTheta (symmetric, W = Theta^{-1} substituted) while the columns are undone; see
/// docs/backward.md. Each column subtracts a rank-4 symmetric term; up to kPendingColumns of them
/// wait, and are applied together as one matrix product on the triangle.
class AdjointState {
 public:
  AdjointState() = default;
  explicit AdjointState(std::size_t p);

  /// G = factor * (Theta - Theta_true) for the output of the last layer; returns the squared
  /// Frobenius norms of the difference and of Theta_true.
  struct Norms {
    double difference = 0, truth = 0;
  };
  Norms start(const LayerTape& last, const double* Theta_true, double factor);

  /// G = weight (Sigma_true - W) / p, the gradient of weight times Stein's loss per variable,
  ///   (tr(Sigma_true Theta) - log det(Sigma_true Theta) - p) / p,
  /// which is returned: twice what the estimate loses in expected log-likelihood. To be called
  /// after `start`, whose G it replaces. NaN when a matrix has no Cholesky decomposition. Cost:
  /// O(p^3).
  double start_likelihood(const LayerTape& last, const double* Theta_true, double weight);
  /// G *= factor, while nothing is pending.
  void scale(double factor) {
    kernels().linear(G_.ld() * G_.ld(), factor, G_.data(), 0.0, G_.data(), G_.data());
  }
  /// Adds the gradient of weight (1 - F1) and returns this loss. F1 = 2 found / (found + wrong +
  /// edges) of the support off the diagonal, where an entry counts t / (t + 0.02) of an edge, with
  /// t = |theta_ij| over the true sqrt(Theta_ii Theta_jj); 0 for a truth without edges.
  double add_support(const LayerTape& last, const double* Theta_true, double weight);

  /// column = G[:, i], pending terms included.
  void get_column(std::size_t i, double* column) const;

  /// G after column i has been undone: row and column i become d_theta_12 / 2 and d_theta_22,
  /// then G -= d_q y y' + d_q0 h h' + (m w' + w m') / 2. y and h have 0 at entry i. m may be null
  /// (a rule that does not read W) or next_m(). y, h and w must stay until the next flush, and
  /// belong to this object from now on: entries of columns that are undone later are set to 0 in
  /// them. Row and column i will be read before entry `read` only: i, or all p.
  void undo_column(std::size_t i, const double* d_theta_12, double d_theta_22, double d_q,
                   double* y, double d_q0, double* h, double* m, double* w, std::size_t read);
  void add_diagonal(const double* d_diag);
  /// Room for the next column's m.
  double* next_m() { return &m_[pending_ / kTerms * G_.ld()]; }

  /// Applies what is pending, at least every kPendingColumns columns. Entries of columns >=
  /// `columns` (in the lower triangle) may be left out when nobody reads them again.
  void flush(std::size_t columns);

  /// <G, A^2> for a symmetric A given by its rows (the gradient of a learned input offset).
  double inner_with_square(const ColumnHistory& A);

 private:
  static constexpr std::size_t kTerms = 4, kPendingColumns = kMaxTerms / kTerms;
  static_assert(kPendingColumns >= kBlock, "the layer flushes after each block of columns");
  void append(double coef, double* left, double* right);

  TriMatrix G_;
  AlignedVector column_;  ///< scratch
  AlignedVector m_;       ///< the m of each pending column
  std::size_t pending_ = 0;
  double coef_[kMaxTerms];  ///< pending terms: G += coef_k left_k right_k'
  double* left_[kMaxTerms];
  double* right_[kMaxTerms];
};

}  // namespace spodnet
