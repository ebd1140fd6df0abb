#pragma once

#include <optional>

#include "spodnet/layer/adjoint_state.hpp"
#include "spodnet/layer/rule.hpp"
#include "spodnet/layer/schur_state.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/problem/covariance_summary.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

/// One matrix between layers: state, adjoint and the scratch of one column step.
struct MatrixWorkspace {
  SchurState state;
  AdjointState adjoint;
  AlignedVector lambda, product, diag_S;
  ColumnHistory S_rows;       ///< rows of S with 0 on the diagonal: s_12 of each column
  const double* S = nullptr;  ///< as it was given
  bool keeps_S = true;        ///< false: of S_rows the current one alone
  AlignedVector d_z, d_lambda, d_theta_12, d_w, d_diag;
  double* d_S = nullptr;  ///< where the gradient of S is added (p x p); null: not wanted
  const Constraints* constraints = nullptr;  ///< null: none
  std::optional<CovarianceSummary> summary;  ///< of S, where the model asks for it
  double n = 0;
  Status status = Status::ok;
  std::size_t layer = 0;     ///< the current layer
  std::size_t done = 0;      ///< columns rewritten in it
  int refreshes = 0;         ///< how often W was recomputed from Theta
  bool careful = false;      ///< this column's products are solves with the factor of Theta_11
  AlignedVector diag_W;      ///< where it is bounded, else empty
  double drift_allowed = 0;  ///< grows to what a fresh W itself leaves (ill-conditioned input)

  MatrixWorkspace() = default;
  explicit MatrixWorkspace(std::size_t p);
  /// For estimates: p^2 numbers, and nothing for a backward. S must stay while it walks.
  static MatrixWorkspace forward_only(std::size_t p, ThreadPool* pool);

  /// Null where there is no summary.
  const double* summary_numbers() const { return summary ? summary->data() : nullptr; }

  /// Places the matrix at the network's input: W = S + offset I, or W_in + offset I where given.
  void start(const Sample& sample, double offset, const LayerOptions& options, LayerTape& tape,
             const double* W_in = nullptr);
  /// Goes on to the next layer, whose input is what `previous` left.
  void next_layer(const LayerTape& previous, LayerTape& tape);
  /// Gathers what the rule may read of column i; refreshes W first when it has drifted from
  /// Theta^{-1} (monitor: w_i' Theta_i = 1).
  Column load(LayerTape& tape, std::size_t i, std::size_t index, const LayerOptions& options);
  /// Recomputes W and gathers column i again; false when Theta is not numerically SPD.
  [[nodiscard]] bool reload(LayerTape& tape, std::size_t i, std::size_t index, Column& column);
  /// The same, and inv_theta_11 is then applied by a factor of Theta_11 in this column.
  [[nodiscard]] bool reload_carefully(LayerTape& tape, std::size_t i, std::size_t index,
                                      Column& column);

  /// The constraints imposed on z, h = inv_theta_11 z and the scale that z will get. False: the
  /// quadratic form is not usable.
  [[nodiscard]] bool scale(LayerTape& tape, std::size_t i, const LayerOptions& options);
  /// y and q of theta_12^+. False: q is not usable.
  [[nodiscard]] bool set_y(LayerTape& tape, std::size_t i, const LayerOptions& options);
  /// v with its floor. False: v is not a positive finite number.
  [[nodiscard]] bool set_margin(LayerTape& tape, std::size_t i, double v_raw,
                                const LayerOptions& options);

  /// Alg. 1, line 7: the column is done, its update of W pending.
  void finish(LayerTape& tape, std::size_t i);

  /// Rebuilds what the rule read of column i from the tape.
  Column load_back(LayerTape& tape, std::size_t i, std::size_t index);

 private:
  /// Goes only so far from the old theta_12 and y towards the new ones that no W_jj leaves its
  /// bounds.
  void stay_in_bounds(LayerTape& tape, std::size_t i, double bound);
  /// out = inv_theta_11 x; returns x' out.
  double inv_theta_11(const LayerTape& tape, std::size_t i, const double* x, double* out);
  void load_S(std::size_t i);
  Column column(LayerTape& tape, std::size_t i, std::size_t index);
  void get_w(LayerTape& tape, std::size_t i) const;
  double drift(const LayerTape& tape, std::size_t i) const;
};

}  // namespace spodnet
