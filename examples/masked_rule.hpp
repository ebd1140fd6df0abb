#pragma once

#include <algorithm>
#include <vector>

#include "spodnet/models/paper_rule.hpp"

/// z = min(theta_12 - a (s_12 - w_12), 0) where the mask is 1, else 0; the step a is learned,
/// lambda and g are the paper's. The threshold keeps zeros and signs, so Theta is SPD with zeros
/// where the mask says and no positive entry off its diagonal.
class MaskedRule : public spodnet::PaperRule {
 public:
  /// The mask is p x p, row by row, symmetric. It is stored in the model file with the weights.
  MaskedRule(const spodnet::RuleShape& shape, std::vector<double> mask)
      : PaperRule(shape),
        step_(layout_.add_values("f.step", {1}, {0.5})),
        mask_(layout_.add_values("f.mask", {shape.p, shape.p}, std::move(mask))) {}

  void preactivation(const Prepared& prepared, const spodnet::Column& c, double* z, Tape&) const {
    for (std::size_t j = 0; j < c.p; ++j)
      z[j] = is_kept(prepared, c, j) ? step(prepared, c, j) : 0.0;
  }

  /// From d_z, adds to the gradient of a and to the adjoints of what was read.
  void preactivation_backward(const Prepared& prepared, const spodnet::Column& c, const double* d_z,
                              Tape&, double* d_weights, spodnet::ColumnAdjoint& adjoint) const {
    for (std::size_t j = 0; j < c.p; ++j) {
      if (!is_kept(prepared, c, j)) continue;
      d_weights[step_] -= d_z[j] * (c.s_12[j] - c.w_12[j]);
      adjoint.d_theta_12[j] += d_z[j];
      adjoint.d_w_12[j] += d_z[j] * prepared.weights[step_];
    }
  }

 private:
  double step(const Prepared& prepared, const spodnet::Column& c, std::size_t j) const {
    return c.theta_12[j] - prepared.weights[step_] * (c.s_12[j] - c.w_12[j]);
  }
  bool is_kept(const Prepared& prepared, const spodnet::Column& c, std::size_t j) const {
    return prepared.weights[mask_ + c.i * c.p + j] > 0.5 && step(prepared, c, j) < 0;
  }

  std::size_t step_, mask_;  // where they start among the weights
};
