#pragma once

#include <array>

#include "spodnet/models/column_map.hpp"
#include "spodnet/models/gradient_step.hpp"
#include "spodnet/models/paper_rule.hpp"

namespace spodnet {

/// Plug-and-Play Block Graphical-ISTA, Eq. (8): z = psi(theta_12 - gamma (s_12 - w_12)).
class PnpRule : public PaperRule {
 public:
  using CovarianceGradient = PnpRule;
  static constexpr std::size_t kLockstep = ColumnMap::kLockstep;
  using OnePass = PnpRule;
  struct Prepared : PaperRule::Prepared {
    GradientStep::Prepared gamma;
    ColumnMap::Prepared psi;
  };
  struct Tape {
    GradientStep::Tape step;
    ColumnMap::Tape map;
    AlignedVector x, d_x;  ///< psi's input and its adjoint, one row per slot
  };

  explicit PnpRule(const RuleShape& shape)
      : PaperRule(shape, 0.1),
        step_(layout_, shape),
        psi_(layout_, "f.psi", shape, shape.width("psi", 2 * shape.p)) {}

  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape, std::size_t slots) const;
  void begin_forward(const Prepared& prepared, std::span<const LayerTape> tapes, Tape& tape) const {
    step_.begin(prepared.gamma, tapes, tape.step);
  }
  void preactivation(const Prepared& prepared, std::span<const Column> columns,
                     std::span<double* const> z, Tape& tape) const;
  void preactivation_backward(const Prepared& prepared, std::span<const Column> columns,
                              std::span<const double* const> d_z, Tape& tape, double* d_weights,
                              std::span<ColumnAdjoint> adjoints) const;
  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const {
    preactivation(prepared, std::span(&column, 1), std::span(&z, 1), tape);
  }
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const {
    preactivation_backward(prepared, std::span(&column, 1), std::span(&d_z, 1), tape, d_weights,
                           std::span(&adjoint, 1));
  }
  void finish_backward(Tape& tape, double* d_weights) const;

 private:
  GradientStep step_;
  ColumnMap psi_;
};

}  // namespace spodnet
