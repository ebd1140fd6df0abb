#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/estimators/lasso.hpp"
#include "spodnet/estimators/sided_penalty.hpp"

namespace spodnet {

/// Block coordinate ascent on the dual of the graphical lasso,
///   maximise log det W  subject to  W_ii = S_ii, -lambda-_ij <= W_ij - S_ij <= lambda+_ij,
/// for one connected block of p variables; lambda+ is the penalty of positive Theta_ij, lambda- of
/// negative ones. Column i with the rest fixed is a lasso on W_11, beta having the sign of -Theta:
///   beta = argmin 1/2 b'W_11 b - s_12'b + sum_{b>0} lambda-_12 b - sum_{b<0} lambda+_12 b,
///   w_12 = W_11 beta,
///   theta_22 = 1 / (s_22 - w_12'beta),                         theta_12 = -beta theta_22.
/// Starts are feasible and columns are solved exactly, so W stays positive definite and feasible
/// and log det W only grows; Theta becomes symmetric on convergence.
/// A sweep costs about 2 p * (non-zeros of Theta) flops.
class GlassoBlock {
 public:
  static constexpr double kDense = 0.33;  ///< share of edges from which GlassoBox is faster

  /// S has a positive diagonal. The matrices must outlive the block.
  GlassoBlock(const Matrix& S, const SidedPenalty& lambda);

  /// Starts from nothing: (1 - t) S + t diag(S) for the smallest t that is feasible. A small t
  /// makes W_11 nearly singular, so lambda is first raised to tau * sqrt(S_ii S_jj), and tau
  /// falls geometrically, a rough sweep for each, until more than `enough` of the pairs are edges.
  void start_cold(double enough = kDense);
  /// Starts from the solution of a similar problem, Theta and its inverse W, both roughly: W is
  /// moved into the box, to the nearest point or else towards S. False when no such point is
  /// positive definite; nothing is changed then.
  bool start_warm(const Matrix& Theta, const Matrix& W);

  /// Updates every column once; returns sum_i theta_ii * (move of beta_i in the norm of W_11)^2,
  /// the squared length of the sweep in the metric of the problem (no unit). Column lassos are
  /// solved to `tolerance` in the same measure.
  double sweep(double tolerance);

  /// (Theta + Theta') / 2, an entry being 0 where either side is 0.
  Matrix precision() const;
  /// W, moved to the bound where precision() is not 0 and clipped into the feasible box elsewhere
  /// (rounding and the columns' tolerance may leave it).
  Matrix dual_point() const;
  /// Share of the pairs that are edges.
  double density() const;

 private:
  void reset();
  double update_column(std::size_t i, double tolerance);
  double solve_working_set(std::size_t i, double tolerance);
  void multiply(std::size_t i);
  bool add_violators(std::size_t i, double tolerance);
  void store_column(std::size_t i);
  void mix_with_S(double share);
  Matrix scaled_to_S(const Matrix& W) const;
  bool move_into_box(Matrix& W) const;
  const double* raised_row(const Matrix& lambda, std::size_t i, std::vector<double>& raised);

  double* w(std::size_t i) { return W_.data() + i * ld_; }
  const double* w(std::size_t i) const { return W_.data() + i * ld_; }

  std::size_t p_, ld_;
  const Matrix& S_;
  const SidedPenalty lambda_;
  double tau_ = 0;                                 // floor of lambda_ij / sqrt(S_ii S_jj)
  AlignedVector W_, y_;                            // p x p, padded rows; W_11 beta
  std::vector<std::vector<std::size_t>> support_;  // of each beta, in any order
  std::vector<std::vector<double>> beta_;          // its values
  std::vector<double> theta_, deviation_;          // diagonal of Theta; sqrt(S_ii)
  std::vector<double> positive_, negative_;        // rows of lambda with the floor applied
  std::vector<std::size_t> violators_;
  std::vector<const double*> rows_;
  AlignedVector H_, c_, above_, below_;  // the lasso of one column
  LassoWorkspace lasso_;
};

}  // namespace spodnet
