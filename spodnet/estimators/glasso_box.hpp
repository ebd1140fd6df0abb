#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/estimators/sided_penalty.hpp"

namespace spodnet {

/// The dual of the graphical lasso, as in GlassoBlock but in W itself: with M = W_11^{-1} column i
/// is a quadratic programme in a box,
///   w_12 = argmin w'M w  subject to -lambda-_12 <= w - s_12 <= lambda+_12;
///   g = M w_12,   theta_22 = 1 / (s_22 - w_12'g),   theta_12 = -theta_22 g.
/// Entries at a bound are the edges of the graph and rest, the others move: the fewer non-edges
/// the better. Theta = W^{-1} is kept beside W, and M = Theta_11 - theta_12 theta_12' / theta_22
/// is never formed: a column ends with a rank-2 update of Theta. However roughly the columns are
/// solved, W stays positive definite and feasible and log det W grows.
/// A sweep costs 4 p^3 flops and, for every pass, 4 p * (non-edges).
class GlassoBox {
 public:
  /// W is symmetric and feasible. S and the penalties must outlive the box.
  GlassoBox(const Matrix& S, const SidedPenalty& lambda, Matrix W);

  /// Theta <- W^{-1}. False when W is not positive definite to working precision. Cost 2 p^3 flops.
  bool invert();
  /// After invert(): improves every column once.
  void sweep();

  const Matrix& W() const { return W_; }
  /// After invert(): log det W.
  double log_det_W() const { return log_det_W_; }
  /// After invert(): Theta on the edges, 0 elsewhere. Pairs are edges when W_ij is at the bound
  /// that the sign of Theta_ij asks for.
  Matrix precision() const;
  /// After invert(): the duality gap between precision() and W to second order in the part E of
  /// Theta that is left out, 1/2 tr(W E W E), with W replaced by its diagonal. Gaps are quadratic
  /// in what is left to do since both points agree on the edges.
  double gap_estimate() const;

 private:
  void update_column(std::size_t i);
  bool solve_column(std::size_t i);
  void store_column(std::size_t i);

  double* theta(std::size_t i) { return Theta_.data() + i * ld_; }
  const double* theta(std::size_t i) const { return Theta_.data() + i * ld_; }

  std::size_t p_, ld_;
  const Matrix& S_;
  const SidedPenalty lambda_;
  Vector variances_;  // diagonal of S
  Matrix W_, inverse_;
  double log_det_W_ = 0;
  AlignedVector Theta_, diagonal_;           // p x p, padded rows; its diagonal
  AlignedVector rows_, coef_;                // of the rank-2 update: old and new row, their factors
  AlignedVector w_, g_, low_, high_, step_;  // the column, M w, its box, 1 / M_jj
  std::vector<std::size_t> moving_;
};

}  // namespace spodnet
