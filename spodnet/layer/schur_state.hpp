#pragma once

#include <optional>

#include "spodnet/core/formulas.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/tri_matrix.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/layer/delayed_inverse.hpp"
#include "spodnet/layer/options.hpp"
#include "spodnet/layer/tape.hpp"

namespace spodnet {

/// The pair (Theta, W = Theta^{-1}) of one matrix while a layer walks over its columns.
///
/// W is kept block-lower-triangular with the last rank-2 update pending, so that each sweep over
/// W does two things: the update of column i and the product for column i + 1 (Eq. 3 in the form
/// W^+ = W - w w'/w_22 + y~ y~'/v with y~ = (y, -1)). Theta is kept as the layer's input, the
/// history of new columns and the current diagonal.
class SchurState {
 public:
  SchurState() = default;
  explicit SchurState(std::size_t p);
  /// For estimates: a large W has its updates delayed and uses the threads of `pool`, if there is
  /// one. No way back.
  static SchurState forward_only(std::size_t p, ThreadPool* pool);

  std::size_t p() const { return p_; }
  std::size_t ld() const { return padded(p_); }
  const double* diag_Theta() const { return diag_Theta_.data(); }

  /// Network input: W = S + offset I, Theta = W^{-1}. S is p x p, contiguous.
  [[nodiscard]] Status start(const double* S, double offset, LayerTape& tape);
  /// The same from Theta (symmetric) and W = Theta^{-1} as they are given, p x p each.
  void assign(const double* Theta, const double* W, LayerTape& tape);
  void assign_W(const double* W);  ///< W alone, with nothing pending
  /// Next layer's input: Theta as the previous layer left it; W goes on.
  void next_layer(const LayerTape& done, LayerTape& tape);

  /// Turns row i of tape.Theta_in into theta_12 before step i (0 at entry i), and returns it.
  double* make_theta(LayerTape& tape, std::size_t i) const;
  /// Column i of W, the pending update included.
  void get_w(std::size_t i, double* w) const;
  /// W, p x p and exactly symmetric, the pending update included.
  void get_W(double* W) const;
  /// out = W x, applying the pending update on the way.
  void product(const double* x, double* out);
  /// Alg. 1, line 7: leaves the update of column i pending; w, y point into the tape.
  void update(LayerTape& tape, std::size_t i);

  /// The current Theta, p x p, exactly symmetric; columns < done are the new ones.
  Matrix theta(const LayerTape& tape, std::size_t done) const;
  /// The same of a layer that is done, into p x p numbers.
  void get_Theta(const LayerTape& tape, double* Theta) const;
  /// Recomputes W from Theta by Cholesky; false when Theta is not numerically SPD.
  [[nodiscard]] bool refresh(const LayerTape& tape, std::size_t done);

  // The careful way: O(p^3) per column, and a quadratic form that cannot come out negative.
  /// Factorises Theta_11 of column i, of which columns < i are the new ones; false when it is not
  /// numerically SPD.
  [[nodiscard]] bool factorise_11(const LayerTape& tape, std::size_t i);
  /// out = inv_theta_11 x by that factor, out_i = 0; returns x' out = ||L^{-1} x||^2.
  double solve_11(std::size_t i, const double* x, double* out) const;

  // The way back.
  /// Puts the diagonal back to its value before step i.
  void undo_diagonal(const LayerTape& tape, std::size_t i) {
    diag_Theta_[i] = tape.scalars[i].theta_22;
  }
  /// Recovers W before step i and gives out = W x in the same sweep.
  void undo_product(const LayerTape& tape, std::size_t i, const double* x, double* out);

 private:
  /// Row i of the pending update: c_w w + c_y y (0 and 0 where nothing is pending).
  formulas::SchurStep<double> pending_row(std::size_t i) const;

  static constexpr std::size_t kLarge = 1536;  ///< from this p on W outgrows the caches

  std::size_t p_ = 0;
  TriMatrix W_;
  std::optional<DelayedInverse> large_;  ///< instead of W_
  AlignedVector carried_;                ///< the pending w and y of the layer before
  AlignedVector diag_Theta_;
  Matrix L_11_;                        ///< Cholesky factor of Theta_11, empty until it is needed
  const double* pending_w_ = nullptr;  ///< null: nothing pending
  const double* pending_y_ = nullptr;
  double pending_a_ = 0, pending_v_ = 0;  ///< w_22 and v of the pending update
};

}  // namespace spodnet
