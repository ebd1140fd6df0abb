#pragma once

#include "spodnet/models/gradient_step.hpp"
#include "spodnet/models/paper_rule.hpp"

namespace spodnet {

/// Unrolled Block Graphical-ISTA, Eq. (7): z = theta_12 - gamma (s_12 - w_12).
class UbgRule : public PaperRule {
 public:
  using CovarianceGradient = UbgRule;
  using LanesRule = UbgRule;  ///< lanes/ is a second engine for this rule, not for derived ones
  using OnePass = UbgRule;
  struct Prepared : PaperRule::Prepared {
    GradientStep::Prepared gamma;
  };
  using Tape = GradientStep::Tape;

  explicit UbgRule(const RuleShape& shape) : PaperRule(shape), step_(layout_, shape) {}

  void prepare(const double* weights, Prepared& prepared) const {
    PaperRule::prepare(weights, prepared);
    step_.prepare(weights, prepared.gamma);
  }
  void reserve(Tape& tape, std::size_t slots) const { step_.reserve(tape, slots); }

  void begin_forward(const Prepared& prepared, std::span<const LayerTape> tapes, Tape& tape) const {
    step_.begin(prepared.gamma, tapes, tape);
  }
  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const {
    step_.forward(prepared.gamma, column, z, tape);
  }
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* /*d_weights*/, ColumnAdjoint& adjoint) const {
    step_.backward(prepared.gamma, column, d_z, tape, adjoint);
  }
  void finish_backward(Tape& tape, double* d_weights) const {
    step_.finish_backward(tape, d_weights);
  }

 private:
  GradientStep step_;
};

}  // namespace spodnet
