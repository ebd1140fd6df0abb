#pragma once

#include "spodnet/models/entry_network.hpp"
#include "spodnet/models/margin_network.hpp"

namespace spodnet {

/// Unrolled block graphical ISTA for any number of variables: no weight depends on p, and columns
/// differ by their numbers alone. With x the column's features (column_features.hpp),
/// m_j^2 = Theta_jj theta_22, phi(y) = y / (1 + |y|) and exp_L(y) = exp(L phi(y / L)):
///
///   z = theta_12 - gamma m_j phi(m_j (s_12 - w_12)),    gamma = exp_6(MLP(x))
///   lambda = m_j softplus(MLP(entry j's features, x)),  see entry_kernels.hpp
///   v = exp_3(MLP(x, q w_22, q)) / (s_22 + w_22 / 20)
///
/// A small step is a diagonal Newton step of the likelihood, whose Hessian is about 1 / m_j^2; no
/// step exceeds gamma in units of partial correlation. The true v is the inverse of the variable's
/// variance, so 1 / s_22 is where it starts; measured in 1 / w_22 instead, errors of v multiply
/// from column to column. w_22 > 0 stands in for a variance that is 0.
class UbgAnyRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = true;
  static constexpr bool kAnyP = true;  ///< Network then takes matrices of any size

  struct Prepared {
    ColumnMlp::Prepared gamma;
    MarginNetwork::Prepared g;
    EntryNetwork::Prepared lambda;
  };

  /// Rows per (column, slot); sums of the weights' gradients wait for finish_backward.
  struct Tape {
    std::size_t slots = 1;
    AlignedVector x, gamma_h, gamma;  ///< features and activations
    std::vector<ColumnSums> sums;
    AlignedVector d_in;  ///< scratch of one column
    AlignedVector d_x;   ///< of the features, 0 between columns
    EntryNetwork::Tape lambda;
    MarginNetwork::Tape g;
    ColumnMlp::Pending pending_gamma;
  };

  /// `signs`: the thresholds depend on the signs of z, theta, w and s - w.
  explicit UbgAnyRule(const RuleShape& shape, bool signs = false);

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape, std::size_t slots, std::size_t p) const;
  void reserve(Tape& tape, std::size_t slots) const { reserve(tape, slots, 1); }

  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const;
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const;
  void thresholds(const Prepared& prepared, const Column& column, const double* z, double* lambda,
                  Tape& tape) const;
  void thresholds_backward(const Prepared& prepared, const Column& column, const double* z,
                           const double* d_lambda, Tape& tape, double* d_weights, double* d_z,
                           ColumnAdjoint& adjoint) const;
  double margin(const Prepared& prepared, const Column& column, double q, Tape& tape) const;
  double margin_backward(const Prepared& prepared, const Column& column, double q, double d_v,
                         Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const;
  void finish_backward(Tape& tape, double* d_weights) const;

  /// Of the column whose preactivation was computed: its features, and its step gamma.
  const double* features(const Column& column, const Tape& tape) const {
    return &tape.x[row(column, tape) * kFeatureStride];
  }
  double step_size(const Column& column, const Tape& tape) const;

  std::size_t row(const Column& column, const Tape& tape) const {
    return column.i * tape.slots + column.slot;
  }

 private:
  static constexpr std::size_t kFeatureStride = EntryNetwork::kFeatureStride;

  ParameterLayout layout_;
  std::size_t features_;  ///< of a column
  ColumnMlp gamma_;
  MarginNetwork g_;
  EntryNetwork lambda_;
  bool signs_;
};

}  // namespace spodnet
