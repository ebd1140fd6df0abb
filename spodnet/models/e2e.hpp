#pragma once

#include <array>

#include "spodnet/models/column_map.hpp"
#include "spodnet/models/paper_rule.hpp"

namespace spodnet {

/// End-to-end updates, Eq. (9): z = phi(theta_12).
class E2eRule : public PaperRule {
 public:
  using CovarianceGradient = E2eRule;
  static constexpr bool kReadsW = false;
  static constexpr std::size_t kLockstep = ColumnMap::kLockstep;
  struct Prepared : PaperRule::Prepared {
    ColumnMap::Prepared phi;
  };
  using Tape = ColumnMap::Tape;

  explicit E2eRule(const RuleShape& shape)
      : PaperRule(shape, 0.1), phi_(layout_, "f.phi", shape, shape.width("phi", 10 * shape.p)) {}

  void prepare(const double* weights, Prepared& prepared) const {
    PaperRule::prepare(weights, prepared);
    phi_.prepare(weights, prepared.phi);
  }
  void reserve(Tape& tape, std::size_t slots) const { phi_.reserve(tape, slots); }

  void preactivation(const Prepared& prepared, std::span<const Column> columns,
                     std::span<double* const> z, Tape& tape) const {
    std::array<const double*, kLockstep> input;
    for (std::size_t s = 0; s < columns.size(); ++s) input[s] = columns[s].theta_12;
    phi_.forward(prepared.phi, columns, std::span(input).first(columns.size()), z, tape);
  }
  void preactivation_backward(const Prepared& prepared, std::span<const Column> columns,
                              std::span<const double* const> d_z, Tape& tape, double* /*d_weights*/,
                              std::span<ColumnAdjoint> adjoints) const {
    std::array<const double*, kLockstep> input;
    std::array<double*, kLockstep> d_input;
    for (std::size_t s = 0; s < columns.size(); ++s) {
      input[s] = columns[s].theta_12;
      d_input[s] = adjoints[s].d_theta_12;
    }
    phi_.backward(prepared.phi, columns, std::span(input).first(columns.size()), d_z,
                  std::span(d_input).first(columns.size()), adjoints[0].theta_read, tape);
  }
  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const {
    preactivation(prepared, std::span(&column, 1), std::span(&z, 1), tape);
  }
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const {
    preactivation_backward(prepared, std::span(&column, 1), std::span(&d_z, 1), tape, d_weights,
                           std::span(&adjoint, 1));
  }
  void finish_backward(Tape& tape, double* d_weights) const {
    phi_.finish_backward(tape, d_weights);
  }

 private:
  ColumnMap phi_;
};

}  // namespace spodnet
