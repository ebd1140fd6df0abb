#pragma once

#include "spodnet/models/ubg_any.hpp"

namespace spodnet {

/// ubg-any with a learned operator on every entry after the gradient step:
///
///   u = theta_12 - gamma m_j phi(m_j (s_12 - w_12)),    z_j = u_j + m_j phi(MLP(entry j, x))
///
/// This network and the thresholds' see signs, so they can learn that the true matrices have
/// entries of mostly one sign. Flipping a variable need not flip its row and column.
class PnpAnyRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = true, kAnyP = true;

  struct Prepared {
    UbgAnyRule::Prepared step;
    EntryNetwork::Prepared psi;
  };

  struct Tape {
    UbgAnyRule::Tape step;
    EntryNetwork::Tape psi;
    AlignedVector u, d_u;  ///< scratch of one column
  };

  explicit PnpAnyRule(const RuleShape& shape);

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape, std::size_t slots, std::size_t p) const;
  void reserve(Tape& tape, std::size_t slots) const { reserve(tape, slots, 1); }

  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const;
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const;
  void finish_backward(Tape& tape, double* d_weights) const;

  void thresholds(const Prepared& prepared, const Column& column, const double* z, double* lambda,
                  Tape& tape) const {
    step_.thresholds(prepared.step, column, z, lambda, tape.step);
  }
  void thresholds_backward(const Prepared& prepared, const Column& column, const double* z,
                           const double* d_lambda, Tape& tape, double* d_weights, double* d_z,
                           ColumnAdjoint& adjoint) const {
    step_.thresholds_backward(prepared.step, column, z, d_lambda, tape.step, d_weights, d_z,
                              adjoint);
  }
  double margin(const Prepared& prepared, const Column& column, double q, Tape& tape) const {
    return step_.margin(prepared.step, column, q, tape.step);
  }
  double margin_backward(const Prepared& prepared, const Column& column, double q, double d_v,
                         Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const {
    return step_.margin_backward(prepared.step, column, q, d_v, tape.step, d_weights, adjoint);
  }

 private:
  UbgAnyRule step_;
  ParameterLayout layout_;
  EntryNetwork psi_;
};

}  // namespace spodnet
