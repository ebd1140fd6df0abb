#pragma once

#include <Eigen/LU>
#include <cmath>
#include <span>

#include "spodnet/layer/reference.hpp"
#include "spodnet/models/model.hpp"
#include "support/plain_mlp.hpp"

namespace spodnet::test {

/// UBG, PNP and E2E on layer/reference.hpp, and their backward as automatic differentiation would
/// do it: Theta and W stored before every column, and one adjoint for each of the two. The oracle
/// of the layer's tests; of the library's fast code it uses nothing but the parameters' names.
class PlainNetwork {
 public:
  explicit PlainNetwork(const Model& model)
      : config_(model.config()), weights_(model.parameters()) {
    const std::string& name = config_.model;
    for (int k = 0; k < (config_.tied ? 1 : config_.layers); ++k) {
      const std::string layer = "layers." + std::to_string(k) + ".";
      Parts parts{PlainMlp(weights_, layer + "f.lambda", 2), PlainMlp(weights_, layer + "g", 3)};
      if (name != "e2e") parts.gamma = PlainMlp(weights_, layer + "f.gamma", 2);
      if (name == "pnp") parts.map = PlainMlp(weights_, layer + "f.psi", 2);
      if (name == "e2e") parts.map = PlainMlp(weights_, layer + "f.phi", 2);
      parts_.push_back(std::move(parts));
    }
  }

  struct Output {
    Matrix Theta, W;
  };

  Output run(const MatrixRef& S) const {
    std::vector<Step> steps;
    return walk(S, steps);
  }

  /// Mean loss of the batch; its gradient in the parameters' layout.
  double loss_gradient(std::span<const Sample> batch, std::vector<double>& gradient) const {
    Parameters d(weights_.layout);
    double loss = 0;
    for (const Sample& sample : batch) {
      const auto p = Eigen::Index(sample.p);
      const ConstMatrixMap S(sample.S, p, p), Theta_true(sample.Theta_true, p, p);
      std::vector<Step> steps;
      const Matrix difference = walk(S, steps).Theta - Theta_true;
      loss += difference.squaredNorm() / double(batch.size());
      Matrix G = 2 * difference / double(batch.size()), G_W = Matrix::Zero(p, p);
      for (std::size_t k = steps.size(); k-- > 0;) step_backward(steps[k], G, G_W, d);
      if (config_.learn_offset) {  // W = S + a I, Theta = W^{-1}, a = exp(a0)
        const Matrix& Theta = steps[0].Theta;
        const double d_a = G_W.trace() - G.cwiseProduct(Theta * Theta).sum();
        d.view("init_offset")[0] += offset() * d_a;
      }
    }
    gradient = d.values;
    return loss;
  }

 private:
  struct Parts {
    PlainMlp lambda, g, gamma, map;
  };

  /// One column step, what was before it and the activations of its networks.
  struct Step : reference::Step {
    std::size_t layer = 0;
    Matrix Theta, W;  ///< before the step
    PlainMlp::Trace gamma, map, g;
    std::vector<PlainMlp::Trace> threshold;
  };

  double offset() const {
    return config_.learn_offset ? std::exp(weights_.view("init_offset")[0]) : config_.init_offset;
  }
  const Parts& parts(const Step& s) const { return parts_[config_.tied ? 0 : s.layer]; }
  bool has_gamma() const { return config_.model != "e2e"; }
  bool has_map() const { return config_.model != "ubg"; }
  double kappa() const { return config_.model == "ubg" ? 1.0 : 0.1; }

  Output walk(const MatrixRef& S, std::vector<Step>& steps) const {
    const Eigen::Index p = S.rows();
    Output state;
    state.W = S + offset() * Matrix::Identity(p, p);
    state.Theta = state.W.inverse();
    const LayerOptions options{
        .scaling = config_.scaling, .zeta = config_.zeta, .v_min = config_.v_min};
    for (int k = 0; k < config_.layers; ++k)
      for (Eigen::Index i = 0; i < p; ++i) {
        Step s;
        s.layer = std::size_t(k);
        s.Theta = state.Theta, s.W = state.W;
        static_cast<reference::Step&>(s) =
            reference::rewrite_column(i, S, rule(s), options, state.Theta, state.W);
        steps.push_back(std::move(s));
      }
    return state;
  }

  /// f and g of UBG, PNP and E2E (Eq. 7-9), which keep their activations in `s`.
  reference::Rule rule(Step& s) const {
    return {[this, &s](const reference::Column& c) {
              Vector z = c.theta_12;
              if (has_gamma()) {
                s.gamma = parts(s).gamma.forward(c.theta_12);
                z -= std::abs(s.gamma.back()[0]) * (c.s_12 - c.w_12);  // Eq. (6)
              }
              if (!has_map()) return z;
              s.map = parts(s).map.forward(z);
              return Vector(s.map.back());
            },
            [this, &s](const reference::Column&, const Vector& z) {
              Vector lambda(z.size());
              for (Eigen::Index j = 0; j < z.size(); ++j) {
                s.threshold.push_back(parts(s).lambda.forward(z.segment(j, 1)));
                lambda[j] = kappa() * std::abs(s.threshold.back().back()[0]);
              }
              return lambda;
            },
            [this, &s](const reference::Column& c, double q) {
              s.g = parts(s).g.forward(Eigen::Vector3d(c.theta_22, c.s_22, q));
              return std::abs(s.g.back()[0]);
            }};
  }

  /// G = dL/dTheta and G_W = dL/dW after the step become those before it.
  void step_backward(const Step& s, Matrix& G, Matrix& G_W, Parameters& d) const {
    const Vector d_theta_next = Vector(G(s.others, s.i)) + Vector(G(s.i, s.others).transpose());
    const Vector d_w_next = Vector(G_W(s.others, s.i)) + Vector(G_W(s.i, s.others).transpose());
    const double v2 = s.v * s.v;
    Matrix d_H = G_W(s.others, s.others);
    Vector d_u = d_theta_next;
    const Vector d_y = ((d_H + d_H.transpose()) * s.y - d_w_next) / s.v;
    double d_q = G(s.i, s.i);
    const double d_v = d_q + (d_w_next.dot(s.y) - s.y.dot(d_H * s.y) - G_W(s.i, s.i)) / v2;

    double d_theta_22 = 0;
    if (s.v == s.v_raw) {
      const double d_out = s.g.back()[0] > 0 ? d_v : -d_v;
      const Vector d_x = parts(s).g.backward(s.g, Vector::Constant(1, d_out), d);
      d_theta_22 = d_x[0];
      d_q += d_x[2];
    } else if (s.q > 1) {
      d_q += config_.v_min * d_v;
    }
    d_u += 2 * d_q * s.y + s.inv_theta_11 * d_y;
    d_H += d_q * s.theta_12_next * s.theta_12_next.transpose() + d_y * s.theta_12_next.transpose();

    const Vector d_z = preactivation_adjoint(s, d_u, d_H, d);
    Vector d_theta_12 = Vector::Zero(d_z.size()), d_w_12 = d_theta_12;
    f_backward(s, d_z, d_theta_12, d_w_12, d);
    d_w_12 -= (d_H + d_H.transpose()) * s.w_12 / s.w_22;

    G.row(s.i).setZero();
    G_W.setZero();
    G_W(s.others, s.others) = d_H;
    for (std::size_t j = 0; j < s.others.size(); ++j) {
      G(s.others[j], s.i) = d_theta_12[Eigen::Index(j)];
      G_W(s.others[j], s.i) = d_w_12[Eigen::Index(j)];
    }
    G(s.i, s.i) = d_theta_22;
    G_W(s.i, s.i) = s.w_12.dot(d_H * s.w_12) / (s.w_22 * s.w_22);
  }

  /// From theta_12^+ back to z: soft threshold, lambda and scaling.
  Vector preactivation_adjoint(const Step& s, const Vector& d_u, Matrix& d_H, Parameters& d) const {
    Vector d_scaled = Vector::Zero(d_u.size());
    for (Eigen::Index j = 0; j < d_u.size(); ++j) {
      if (s.theta_12_next[j] == 0) continue;
      const auto& trace = s.threshold[std::size_t(j)];
      const double d_lambda = s.theta_12_next[j] > 0 ? -d_u[j] : d_u[j];
      const double d_e = kappa() * (trace.back()[0] > 0 ? d_lambda : -d_lambda);
      d_scaled[j] = d_u[j] + parts(s).lambda.backward(trace, Vector::Constant(1, d_e), d)[0];
    }
    const bool depends = s.scale != 0 && config_.scaling != Scaling::none &&
                         (config_.scaling == Scaling::normalize || s.q0 > config_.zeta);
    const double d_q0 = depends ? -0.5 * s.scale / s.q0 * d_scaled.dot(s.z) : 0;
    d_H += d_q0 * s.z * s.z.transpose();
    return s.scale * d_scaled + 2 * d_q0 * s.inv_theta_11 * s.z;
  }

  void f_backward(const Step& s, Vector d_z, Vector& d_theta_12, Vector& d_w_12,
                  Parameters& d) const {
    if (has_map()) d_z = parts(s).map.backward(s.map, d_z, d);
    d_theta_12 += d_z;
    if (!has_gamma()) return;
    const double sigma = s.gamma.back()[0], d_gamma = -d_z.dot(s.s_12 - s.w_12);
    d_w_12 += std::abs(sigma) * d_z;
    const Vector d_sigma = Vector::Constant(1, sigma > 0 ? d_gamma : -d_gamma);
    d_theta_12 += parts(s).gamma.backward(s.gamma, d_sigma, d);
  }

  ModelConfig config_;
  Parameters weights_;
  std::vector<Parts> parts_;  ///< one per layer, a single one when tied
};

}  // namespace spodnet::test
