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

  /// G as given, p x p and symmetric (its lower triangle is read).
  void assign(const double* G);

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
  /// `columns` (in the lower triangle) may be left out when they are not read again.
  void flush(std::size_t columns);

  /// <G, A^2> for a symmetric A given by its rows (the gradient of a learned input offset).
  double inner_with_square(const ColumnHistory& A);
  /// x' G x, x padded with zeros (the gradient of an eigenvalue of the input).
  double quadratic_form(const double* x);

  /// d_S -= A G A for a symmetric A given by its rows: with G the adjoint of Theta_in = A, what the
  /// input W_in = S + a I contributes to the gradient of S (p x p).
  void add_input_gradient(const ColumnHistory& A, double* d_S);

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
