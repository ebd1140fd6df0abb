#pragma once

#include "spodnet/layer/rule.hpp"
#include "spodnet/models/small_mlp.hpp"

namespace spodnet {

/// g and lambda as the paper has them, shared by UBG, PNP and E2E and free for any rule to
/// inherit: v = |MLP(theta_22, s_22, q)|, lambda_j = kappa |MLP(scaled z_j)|. What is left to
/// write is the preactivation; its weights are added to layout_.
class PaperRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = false;
  struct Prepared {
    const double* weights = nullptr;
  };
  struct Tape {};

  explicit PaperRule(const RuleShape& shape, double kappa = 1.0)
      : g_(layout_, "g", shape.width("g", 3)),
        lambda_(layout_, "f.lambda", shape.width("lambda", 5), kappa) {}

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double* weights, Prepared& prepared) const { prepared.weights = weights; }
  void reserve(Tape&, std::size_t) const {}

  void thresholds(const Prepared& prepared, const Column& column, const double* z, double* lambda,
                  const auto& /*tape*/) const {
    lambda_.forward(prepared.weights, padded(column.p), z, lambda);
  }
  void thresholds_backward(const Prepared& prepared, const Column& column, const double* z,
                           const double* d_lambda, const auto& /*tape*/, double* d_weights,
                           double* d_z, ColumnAdjoint& /*adjoint*/) const {
    lambda_.backward(prepared.weights, padded(column.p), z, d_lambda, d_z, d_weights);
  }

  // The layer's scaling and soft threshold with them, in one pass.
  void threshold(const Prepared& prepared, const Column& column, double scale, double* z,
                 double* u) const {
    lambda_.threshold(prepared.weights, padded(column.p), scale, z, u);
  }
  double threshold_backward(const Prepared& prepared, const Column& column, const double* z,
                            const ThresholdAdjoint& adjoint, double* d_weights, double* d_z) const {
    return lambda_.threshold_backward(prepared.weights, padded(column.p), z, adjoint, d_z,
                                      d_weights);
  }

  double margin(const Prepared& prepared, const Column& column, double q,
                const auto& /*tape*/) const {
    const double x[3] = {column.theta_22, column.s_22, q};
    return g_.forward(prepared.weights, x);
  }
  /// Returns d_q.
  double margin_backward(const Prepared& prepared, const Column& column, double q, double d_v,
                         const auto& /*tape*/, double* d_weights, ColumnAdjoint& adjoint) const {
    const double x[3] = {column.theta_22, column.s_22, q};
    double d_x[3] = {0, 0, 0};
    g_.backward(prepared.weights, x, d_v, d_x, d_weights);
    adjoint.d_theta_22 += d_x[0];
    adjoint.d_s_22 += d_x[1];
    return d_x[2];
  }

 protected:
  ParameterLayout layout_;

 private:
  MarginMlp g_;
  ElementwiseMlp lambda_;
};

}  // namespace spodnet
