#pragma once

#include "spodnet/models/entry_network.hpp"
#include "spodnet/models/margin_network.hpp"
#include "spodnet/models/spectral_start.hpp"

namespace spodnet {

/// pnp-any made consistent: for any number of variables, on the scale of correlations (s_jj = 1).
/// Everything learned is multiplied by a number that fades as n / p grows (fading.hpp), and the
/// step is one that does not overshoot, so that W = S stays where it is. With tau = min(1, 2 p /
/// n), c_j the unit of FadingUnit, m_j^2 = Theta_jj theta_22, x the column's features
/// (column_features.hpp), phi(y) = y / (1 + |y|) and exp_L(y) = exp(L phi(y / L)):
///
///   u = theta_12 - gamma phi(s_12 - w_12),       gamma = g / (1 + (1 - tau / 2) g ||S||_F / 1.5),
///                                                g = exp_4(MLP(x))
///   z_j = u_j + c_j m_j phi(MLP(entry j, x))
///   lambda_j = c_j m_j t / (1 + (1 - tau) t),    t = softplus(MLP(entry j, x))
///   v = exp(tau 3 phi(MLP(x, q w_22, q) / 3)) / s_22
///
/// Near W = S the likelihood's Hessian in theta_12 is 2 inv_theta_11, no larger than 2 ||S||_F:
/// gamma stays below 3 / ||S||_F, and below 1.5 / ||S||_F as tau vanishes, where no direction
/// overshoots. The start is
/// that of SpectralStart.
class ConsistentAnyRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = true, kAnyP = true;
  using Start = SpectralStart;

  struct Prepared {
    ColumnMlp::Prepared gamma;
    MarginNetwork::Prepared g;
    EntryNetwork::Prepared lambda, psi;
  };

  /// Rows per (column, slot); sums of the weights' gradients wait for finish_backward.
  struct Tape {
    std::size_t slots = 1, ld = 0;
    AlignedVector x, gamma_h, gamma;  ///< features and activations
    ColumnHistory shift, lambda;      ///< of each entry, in units of c_j
    std::vector<ColumnSums> sums;
    AlignedVector u, d_u, scaled;  ///< scratch of one column
    AlignedVector d_in;
    AlignedVector d_x;  ///< of the features, 0 between columns
    EntryNetwork::Tape lambda_net, psi_net;
    MarginNetwork::Tape g;
    ColumnMlp::Pending pending_gamma;
  };

  explicit ConsistentAnyRule(const RuleShape& shape);

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape, std::size_t slots, std::size_t p) const;
  void reserve(Tape& tape, std::size_t slots) const { reserve(tape, slots, 1); }
  /// For one matrix without a way back: 2 p^2 numbers less.
  void reserve_one_way(Tape& tape, std::size_t p) const { reserve_rows(tape, 1, p, 1); }

  void preactivation(const Prepared& prepared, const Column& column, double* z, Tape& tape) const;
  void preactivation_backward(const Prepared& prepared, const Column& column, const double* d_z,
                              Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const;
  double margin(const Prepared& prepared, const Column& column, double q, Tape& tape) const;
  double margin_backward(const Prepared& prepared, const Column& column, double q, double d_v,
                         Tape& tape, double* d_weights, ColumnAdjoint& adjoint) const;
  void thresholds(const Prepared& prepared, const Column& column, const double* z, double* lambda,
                  Tape& tape) const;
  void thresholds_backward(const Prepared& prepared, const Column& column, const double* z,
                           const double* d_lambda, Tape& tape, double* d_weights, double* d_z,
                           ColumnAdjoint& adjoint) const;
  void finish_backward(Tape& tape, double* d_weights) const;

 private:
  void reserve_rows(Tape& tape, std::size_t slots, std::size_t p, std::size_t kept) const;

  static constexpr std::size_t kFeatureStride = EntryNetwork::kFeatureStride;

  std::size_t row(const Column& column, const Tape& tape) const {
    return column.i * tape.slots + column.slot;
  }
  const double* features(const Column& column, const Tape& tape) const {
    return &tape.x[row(column, tape) * kFeatureStride];
  }
  double gradient_step(const Column& column, const Tape& tape, double* u) const;
  double gradient_step_backward(const Column& column, const Tape& tape, const double* d_u,
                                ColumnAdjoint& adjoint) const;

  ParameterLayout layout_;
  std::size_t features_;  ///< of a column
  ColumnMlp gamma_;
  MarginNetwork g_;
  EntryNetwork lambda_, psi_;
};

}  // namespace spodnet
