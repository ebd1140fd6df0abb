#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "spodnet/core/kernels.hpp"
#include "spodnet/layer/options.hpp"
#include "spodnet/layer/parameters.hpp"

namespace spodnet {

/// What a rule may read when column i is rewritten (Eq. 1). Everything "12" is a vector of length
/// p whose entry i is 0 (and padded with zeros to a multiple of kBlock), so that it lines up with
/// the diagonals and with other variables' numbers.
struct Column {
  std::size_t i = 0;     ///< the column
  std::size_t p = 0;     ///< number of variables
  std::size_t slot = 0;  ///< which of the matrices that walk in lockstep (Tape index)
  double n = 0;          ///< number of samples behind S
  const double* theta_12 = nullptr;
  const double* w_12 = nullptr;
  const double* s_12 = nullptr;
  double theta_22 = 0, w_22 = 0, s_22 = 0;
  const double* diag_Theta = nullptr;  ///< diagonal of Theta, length p
  const double* diag_S = nullptr;      ///< diagonal of S, length p
  const double* summary = nullptr;     ///< covariance_summary.hpp; null unless the model asks
};

/// Adjoints of what a rule read; a backward adds to them. Entry i of the vectors is ignored, and
/// so is d_theta_12 from entry `theta_read` on: a rule may leave it out. Where they are `fresh`
/// (for a OnePassRule alone), d_theta_12 and d_w_12 hold nothing yet, and the first to add to them
/// writes.
struct ColumnAdjoint {
  double* d_theta_12 = nullptr;
  double* d_w_12 = nullptr;
  double* d_diag_Theta = nullptr;
  double d_theta_22 = 0, d_w_22 = 0;
  double d_s_22 = 0;  ///< read of a CovarianceGradientRule alone
  std::size_t theta_read = std::size_t(-1);
  bool fresh = false;
};

/// A column rule: any f and any g > 0. The layer keeps Theta SPD whatever it returns (Prop. 1).
///
///   layout()                      names, shapes and start of one layer's weights
///   prepare(weights, prepared)    weights in the form the rule likes, once per step
///   preactivation                 z from the column                        (f before scaling)
///   thresholds                    lambda >= 0 from the column and the scaled z
///   margin                        v >= 0 from the column and q             (g)
///
/// each with a `_backward` of mirrored arguments that adds to d_weights (same layout as weights)
/// and to the column's adjoint. `Tape` keeps what a backward needs from its forward, `Prepared`
/// is shared by all threads and constant during a step. theta_12^+ = soft_threshold(scaled z,
/// lambda), so lambda = infinity forces an exact zero and the sign of z is kept. An optional
/// begin_forward(prepared, tapes, tape) begins a layer (row i of tapes[s].Theta_in is slot s's
/// input from entry i on; what is before it is not set yet), an optional finish_backward(tape,
/// d_weights) ends its backward (gradients summed in one go).
template <class R>
concept ColumnRule = requires(const R rule, const double* weights,
                              const typename R::Prepared& prepared,
                              typename R::Prepared& mutable_prepared, typename R::Tape& tape,
                              const Column& column, ColumnAdjoint& adjoint, double* out, double q) {
  { rule.layout() } -> std::convertible_to<ParameterLayout>;
  { R::kReadsW } -> std::convertible_to<bool>;         ///< w_12 or w_22; else W is not undone
  { R::kReadsDiagonal } -> std::convertible_to<bool>;  ///< diag_Theta; else d_diag_Theta is null
  rule.prepare(weights, mutable_prepared);
  rule.reserve(tape, std::size_t{1});  ///< room for this many matrices in lockstep
  rule.preactivation(prepared, column, out, tape);
  rule.preactivation_backward(prepared, column, weights, tape, out, adjoint);
  rule.thresholds(prepared, column, weights, out, tape);
  rule.thresholds_backward(prepared, column, weights, weights, tape, out, out, adjoint);
  { rule.margin(prepared, column, q, tape) } -> std::convertible_to<double>;
  {
    rule.margin_backward(prepared, column, q, q, tape, out, adjoint)
    } -> std::convertible_to<double>;
};

/// A rule that works for any number of variables with the same weights. Its RuleShape has p = 0,
/// and reserve(tape, slots, p) makes room for matrices of one size.
template <class R>
concept SizeFreeRule = ColumnRule<R> && R::kAnyP && requires(const R rule, typename R::Tape& tape) {
  rule.reserve(tape, std::size_t{1}, std::size_t{1});
};

/// A rule with a short cut: its threshold and threshold_backward do the scaling, the thresholds and
/// the soft threshold in one pass (used while nothing else changes lambda), and its
/// preactivation_backward is the first to write adjoints, and writes them all. `OnePass` names the
/// rule itself, so that a rule derived from it, whose thresholds may be others, does not take it.
template <class R>
concept OnePassRule = ColumnRule<R> && std::same_as<typename R::OnePass, R> &&
    requires(const R rule, const typename R::Prepared& prepared, const Column& column, double* out,
             const ThresholdAdjoint& adjoint) {
  rule.threshold(prepared, column, 1.0, out, out);
  {
    rule.threshold_backward(prepared, column, out, adjoint, out, out)
    } -> std::convertible_to<double>;
};

/// A rule that also gives the gradient of S: it reads s_12 only as s_12 - w_12 (or not at all), so
/// that d_s_12 = -d_w_12, and its margin_backward adds to d_s_22.
template <class R>
concept CovarianceGradientRule = ColumnRule<R> && std::same_as<typename R::CovarianceGradient, R>;

/// A rule whose preactivation is faster for several matrices at once (large weights are then
/// read once for all): the layer walks up to kLockstep matrices column by column together.
template <class R>
concept LockstepRule = ColumnRule<R> &&
    requires(const R rule, const typename R::Prepared& prepared, typename R::Tape& tape,
             std::span<const Column> columns, std::span<ColumnAdjoint> adjoints,
             std::span<double* const> z, std::span<const double* const> d_z, double* d_weights) {
  { R::kLockstep } -> std::convertible_to<std::size_t>;
  rule.preactivation(prepared, columns, z, tape);
  rule.preactivation_backward(prepared, columns, d_z, tape, d_weights, adjoints);
};

}  // namespace spodnet
