#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "spodnet/core/formulas.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/layer/matrix_workspace.hpp"

namespace spodnet {

/// Matrices that walk together through the columns.
template <ColumnRule Rule>
constexpr std::size_t lockstep() {
  if constexpr (LockstepRule<Rule>)
    return Rule::kLockstep;
  else
    return 1;
}

/// One SpodNet layer (Algorithm 1) for any rule, and its adjoint. The rule supplies z, lambda and
/// v; the layer owns the scaling, the two products with inv_theta_11, the Schur step and its
/// undo. All matrices of a chunk walk through the columns in lockstep. No allocation.
template <ColumnRule Rule>
class SpodLayer {
 public:
  SpodLayer(const Rule& rule, const LayerOptions& options) : rule_(rule), options_(options) {}

  /// Forward over all columns; a slot that fails stops with its status and the columns done.
  void forward(const typename Rule::Prepared& prepared, std::span<MatrixWorkspace> slots,
               std::span<LayerTape> tapes, typename Rule::Tape& rule_tape) const {
    slots = at_most_lockstep(slots);
    std::array<Column, lockstep<Rule>()> columns;
    if constexpr (requires { rule_.begin_forward(prepared, tapes, rule_tape); })
      rule_.begin_forward(prepared, tapes, rule_tape);
    for (std::size_t i = 0; i < slots[0].state.p(); ++i) {
      leave_if_stopped();
      for (std::size_t s = 0; s < slots.size(); ++s)
        columns[s] = slots[s].load(tapes[s], i, s, options_);
      preactivations(prepared, std::span(columns).first(slots.size()), tapes, rule_tape);
      for (std::size_t s = 0; s < slots.size(); ++s)
        if (slots[s].status == Status::ok)
          advance(prepared, slots[s], tapes[s], columns[s], rule_tape);
    }
    for (std::size_t s = 0; s < slots.size(); ++s)
      std::copy_n(slots[s].state.diag_Theta(), slots[s].state.p(), tapes[s].diag_out.data());
  }

  /// Adds this layer's weight gradients to d_weights and turns each slot's G into the adjoint of
  /// the layer's input. With `only_columns` entries of G that no column reads again are left out.
  void backward(const typename Rule::Prepared& prepared, std::span<MatrixWorkspace> slots,
                std::span<LayerTape> tapes, typename Rule::Tape& rule_tape, double* d_weights,
                bool only_columns) const {
    slots = at_most_lockstep(slots);
    std::array<Column, lockstep<Rule>()> columns;
    std::array<ColumnAdjoint, lockstep<Rule>()> adjoints;
    std::array<StepAdjoint, lockstep<Rule>()> steps;
    const std::size_t p = slots[0].state.p();
    for (std::size_t i = p; i-- > 0;) {
      for (std::size_t s = 0; s < slots.size(); ++s) {
        columns[s] = slots[s].load_back(tapes[s], i, s);
        steps[s] = step_backward(prepared, slots[s], tapes[s], columns[s], rule_tape, d_weights,
                                 adjoints[s]);
        adjoints[s].theta_read = only_columns ? i : p;
      }
      preactivations_backward(prepared, std::span(columns).first(slots.size()), slots, rule_tape,
                              d_weights, std::span(adjoints).first(slots.size()));
      for (std::size_t s = 0; s < slots.size(); ++s) {
        finish_column(slots[s], tapes[s], i, adjoints[s], steps[s]);
        if (i % kBlock == 0) slots[s].adjoint.flush(only_columns ? i : p);
      }
    }
    if constexpr (requires { rule_.finish_backward(rule_tape, d_weights); })
      rule_.finish_backward(rule_tape, d_weights);
  }

 private:
  struct StepAdjoint {
    double d_q = 0, d_q0 = 0;
  };

  /// All of them. Tells the compiler the size bound (g++ 14 warns of arrays too small).
  static std::span<MatrixWorkspace> at_most_lockstep(std::span<MatrixWorkspace> slots) {
    return slots.first(std::min(slots.size(), lockstep<Rule>()));
  }

  void preactivations(const typename Rule::Prepared& prepared, std::span<const Column> columns,
                      std::span<LayerTape> tapes, typename Rule::Tape& rule_tape) const {
    if constexpr (LockstepRule<Rule>) {
      std::array<double*, lockstep<Rule>()> z;
      for (std::size_t s = 0; s < columns.size(); ++s) z[s] = tapes[s].z[columns[s].i];
      rule_.preactivation(prepared, columns, std::span(z).first(columns.size()), rule_tape);
    } else {
      rule_.preactivation(prepared, columns[0], tapes[0].z[columns[0].i], rule_tape);
    }
  }

  void preactivations_backward(const typename Rule::Prepared& prepared,
                               std::span<const Column> columns, std::span<MatrixWorkspace> slots,
                               typename Rule::Tape& rule_tape, double* d_weights,
                               std::span<ColumnAdjoint> adjoints) const {
    if constexpr (LockstepRule<Rule>) {
      std::array<const double*, lockstep<Rule>()> d_z;
      for (std::size_t s = 0; s < columns.size(); ++s) d_z[s] = slots[s].d_z.data();
      rule_.preactivation_backward(prepared, columns, std::span(d_z).first(columns.size()),
                                   rule_tape, d_weights, adjoints);
    } else {
      rule_.preactivation_backward(prepared, columns[0], slots[0].d_z.data(), rule_tape, d_weights,
                                   adjoints[0]);
    }
  }

  /// From z to the new column and diagonal (Alg. 1, lines 5-7). False: the numbers are unusable.
  [[nodiscard]] bool step(const typename Rule::Prepared& prepared, MatrixWorkspace& slot,
                          LayerTape& tape, const Column& column,
                          typename Rule::Tape& rule_tape) const {
    const std::size_t i = column.i;
    if (!slot.scale(tape, i, options_)) return false;
    threshold(prepared, slot, tape, column, rule_tape);
    if (!slot.set_y(tape, i, options_)) return false;
    const double v = rule_.margin(prepared, column, tape.scalars[i].q, rule_tape);
    return slot.set_margin(tape, i, v, options_);
  }

  /// The scaled z in place of z, and theta_12^+ = soft_threshold(z, lambda).
  void threshold(const typename Rule::Prepared& prepared, MatrixWorkspace& slot, LayerTape& tape,
                 const Column& column, typename Rule::Tape& rule_tape) const {
    const std::size_t i = column.i, ld = slot.state.ld();
    const double scale = tape.scalars[i].scale;
    if constexpr (OnePassRule<Rule>)
      if (options_.sparsity == 1)
        return rule_.threshold(prepared, column, scale, tape.z[i], tape.u[i]);
    if (scale != 1) kernels().linear(ld, scale, tape.z[i], 0.0, tape.z[i], tape.z[i]);
    rule_.thresholds(prepared, column, tape.z[i], slot.lambda.data(), rule_tape);
    keep_entries(slot, i, slot.lambda);
    scale_by_sparsity(slot.lambda);
    kernels().soft_threshold(ld, tape.z[i], slot.lambda.data(), tape.u[i]);
  }

  /// d_z of the scaled z; returns d_z'z.
  double threshold_backward(const typename Rule::Prepared& prepared, MatrixWorkspace& slot,
                            const LayerTape& tape, const Column& column,
                            typename Rule::Tape& rule_tape, const ThresholdAdjoint& d,
                            double* d_weights, ColumnAdjoint& adjoint) const {
    const std::size_t ld = slot.state.ld();
    const double* z = tape.z[column.i];
    double* d_z = slot.d_z.data();
    if constexpr (OnePassRule<Rule>)
      if (options_.sparsity == 1)
        return rule_.threshold_backward(prepared, column, z, d, d_weights, d_z);
    kernels().soft_threshold_backward(ld, d.u, d.g, d.d_q, d.y, d_z, slot.d_lambda.data());
    scale_by_sparsity(slot.d_lambda);
    rule_.thresholds_backward(prepared, column, z, slot.d_lambda.data(), rule_tape, d_weights, d_z,
                              adjoint);
    keep_entries(slot, column.i, slot.d_z);
    return kernels().dot(ld, d_z, z);
  }

  /// Whatever a rule left at entry i and in the padding is ignored.
  static void keep_entries(const MatrixWorkspace& slot, std::size_t i, AlignedVector& x) {
    x[i] = 0;
    std::fill(x.data() + slot.state.p(), x.data() + slot.state.ld(), 0.0);
  }

  void scale_by_sparsity(AlignedVector& lambda) const {  // a lambda of infinity stays one
    if (options_.sparsity != 1)
      for (double& x : lambda)
        if (x <= std::numeric_limits<double>::max()) x *= options_.sparsity;
  }

  /// One column step; a bad one is tried again with a fresh W, then with a factor of Theta_11,
  /// before the slot gives up.
  void advance(const typename Rule::Prepared& prepared, MatrixWorkspace& slot, LayerTape& tape,
               Column& column, typename Rule::Tape& rule_tape) const {
    const std::size_t i = column.i;
    const auto again = [&] {
      rule_.preactivation(prepared, column, tape.z[i], rule_tape);
      return step(prepared, slot, tape, column, rule_tape);
    };
    const bool good = step(prepared, slot, tape, column, rule_tape) ||
                      (slot.reload(tape, i, column.slot, column) && again()) ||
                      (slot.reload_carefully(tape, i, column.slot, column) && again());
    if (good) {
      slot.finish(tape, i);
    } else {
      const ColumnScalars& s = tape.scalars[i];
      slot.status = std::isfinite(s.q0 + s.q + s.v_raw) ? Status::not_spd : Status::not_finite;
    }
  }

  /// The adjoint of one column step down to d_z; what remains is the preactivation's.
  StepAdjoint step_backward(const typename Rule::Prepared& prepared, MatrixWorkspace& slot,
                            const LayerTape& tape, const Column& column,
                            typename Rule::Tape& rule_tape, double* d_weights,
                            ColumnAdjoint& adjoint) const {
    const std::size_t i = column.i;
    const ColumnScalars& s = tape.scalars[i];
    const bool fresh = OnePassRule<Rule>;
    if (!fresh) std::fill(slot.d_theta_12.begin(), slot.d_theta_12.end(), 0.0);
    if (!fresh && Rule::kReadsW) std::fill(slot.d_w.begin(), slot.d_w.end(), 0.0);
    if (Rule::kReadsDiagonal) std::fill(slot.d_diag.begin(), slot.d_diag.end(), 0.0);
    adjoint = {.d_theta_12 = slot.d_theta_12.data(),
               .d_w_12 = slot.d_w.data(),
               .d_diag_Theta = Rule::kReadsDiagonal ? slot.d_diag.data() : nullptr,
               .fresh = fresh};

    double* g = slot.product.data();
    slot.adjoint.get_column(i, g);
    const double d_theta_22_next = g[i];
    StepAdjoint d;
    d.d_q = d_theta_22_next;  // theta_22^+ = v + q, Eq. (2)
    if (s.v == s.v_raw)
      d.d_q += rule_.margin_backward(prepared, column, s.q, d_theta_22_next, rule_tape, d_weights,
                                     adjoint);
    else
      d.d_q += formulas::floor_backward(kMath, options_.v_min, s.q, d_theta_22_next);

    const double d_z_z = threshold_backward(prepared, slot, tape, column, rule_tape,
                                            {tape.u[i], g, tape.y[i], d.d_q}, d_weights, adjoint);
    d.d_q0 = scale_backward(slot, tape, i, d_z_z);
    adjoint.d_theta_22 +=
        formulas::limit_backward(kMath, options_.scaling, d.d_q0, s.q0, s.theta_22);
    return d;
  }

  /// d_z of the unscaled z in place of the scaled one's, with d_z'z given; returns d_q0.
  double scale_backward(MatrixWorkspace& slot, const LayerTape& tape, std::size_t i,
                        double d_z_z) const {
    const ColumnScalars& s = tape.scalars[i];
    const std::size_t ld = slot.state.ld();
    double* d_z = slot.d_z.data();
    d_z[i] = 0;
    const double d_q0 = formulas::scale_backward(kMath, options_.scaling, s.scale, s.q0, d_z_z);
    if (s.scale != 1) kernels().linear(ld, s.scale, d_z, 2 * d_q0, tape.h[i], d_z);
    if (slot.constraints) slot.constraints->mask_backward(i, tape.z[i], d_z);
    return d_q0;
  }

  /// Undoes the Schur step of column i in W and in G.
  void finish_column(MatrixWorkspace& slot, LayerTape& tape, std::size_t i, ColumnAdjoint& adjoint,
                     const StepAdjoint& d) const {
    if (adjoint.theta_read == 0) return;  // W and G are not read again
    double* m = nullptr;
    if (!adjoint.fresh) keep_entries(slot, i, slot.d_theta_12);
    if (!adjoint.fresh && Rule::kReadsW) keep_entries(slot, i, slot.d_w);
    tape.w[i][i] = tape.scalars[i].w_22;
    if constexpr (CovarianceGradientRule<Rule>)
      if (slot.d_S) add_covariance_gradient(slot, i, adjoint);
    if constexpr (Rule::kReadsW) {
      m = slot.adjoint.next_m();
      slot.d_w[i] = adjoint.d_w_22;
      slot.state.undo_product(tape, i, slot.d_w.data(), m);
    }
    tape.y[i][i] = 0;
    slot.adjoint.undo_column(i, slot.d_theta_12.data(), adjoint.d_theta_22, d.d_q, tape.y[i],
                             d.d_q0, tape.h[i], m, tape.w[i], adjoint.theta_read);
    if (Rule::kReadsDiagonal) slot.adjoint.add_diagonal(slot.d_diag.data());
  }

  /// Column i of S: its own contribution, beside that of the input W = S + a I.
  static void add_covariance_gradient(MatrixWorkspace& slot, std::size_t i,
                                      const ColumnAdjoint& adjoint) {
    const std::size_t p = slot.state.p();
    slot.d_S[i * p + i] += adjoint.d_s_22;
    if constexpr (Rule::kReadsW)
      for (std::size_t j = 0; j < p; ++j)
        if (j != i) {  // d_s_12 = -d_w_12, half of it for each of two equal entries
          slot.d_S[i * p + j] -= 0.5 * slot.d_w[j];
          slot.d_S[j * p + i] -= 0.5 * slot.d_w[j];
        }
  }

  static constexpr formulas::Doubles kMath{};
  const Rule& rule_;
  const LayerOptions& options_;
};

}  // namespace spodnet
