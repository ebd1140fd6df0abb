#pragma once

#include <Eigen/LU>
#include <cmath>
#include <span>

#include "spodnet/models/model.hpp"
#include "support/plain_mlp.hpp"

namespace spodnet::test {

/// Algorithm 1 for UBG, PNP and E2E as the paper writes it, and its backward as automatic
/// differentiation would do it: dense matrices, inv_theta_11 in full, Theta and W stored before
/// every column, and one adjoint for each of the two. The oracle of the layer's tests; it shares
/// nothing with the library but the parameters' names.
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

  /// One column step: what it read and everything it computed.
  struct Step {
    Eigen::Index i = 0;
    std::size_t layer = 0;
    Matrix Theta, W;              ///< before the step
    std::vector<Eigen::Index> o;  ///< the other variables, "1" in the paper's blocks
    Vector theta_12, w_12, s_12, z, scaled, lambda, u, y;
    double theta_22 = 0, w_22 = 0, s_22 = 0, q0 = 0, scale = 1, q = 0, v_raw = 0, v = 0;
    Matrix H;  ///< inv_theta_11
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
    for (int k = 0; k < config_.layers; ++k)
      for (Eigen::Index i = 0; i < p; ++i) {
        Step s;
        s.i = i;
        s.layer = std::size_t(k);
        read(s, S, state);
        step(s);
        write(s, state);
        steps.push_back(std::move(s));
      }
    return state;
  }

  static void read(Step& s, const MatrixRef& S, const Output& state) {
    for (Eigen::Index j = 0; j < S.rows(); ++j)
      if (j != s.i) s.o.push_back(j);
    s.Theta = state.Theta;
    s.W = state.W;
    s.theta_12 = s.Theta(s.o, s.i);
    s.w_12 = s.W(s.o, s.i);
    s.s_12 = S(s.o, s.i);
    s.theta_22 = s.Theta(s.i, s.i);
    s.w_22 = s.W(s.i, s.i);
    s.s_22 = S(s.i, s.i);
  }

  void step(Step& s) const {
    s.H = s.W(s.o, s.o) - s.w_12 * s.w_12.transpose() / s.w_22;  // Alg. 1, line 4
    s.z = s.theta_12;
    if (has_gamma()) {
      s.gamma = parts(s).gamma.forward(s.theta_12);
      s.z -= std::abs(s.gamma.back()[0]) * (s.s_12 - s.w_12);  // Eq. (6)
    }
    if (has_map()) {
      s.map = parts(s).map.forward(s.z);
      s.z = s.map.back();
    }
    s.q0 = s.z.dot(s.H * s.z);
    if (config_.scaling == Scaling::normalize)
      s.scale = s.q0 > 1e-24 * s.theta_22 ? std::sqrt(config_.zeta / s.q0) : 0;
    if (config_.scaling == Scaling::clip && s.q0 > config_.zeta)
      s.scale = std::sqrt(config_.zeta / s.q0);
    s.scaled = s.scale * s.z;
    s.lambda = s.u = Vector(s.z.size());
    for (Eigen::Index j = 0; j < s.z.size(); ++j) {
      s.threshold.push_back(parts(s).lambda.forward(s.scaled.segment(j, 1)));
      s.lambda[j] = kappa() * std::abs(s.threshold.back().back()[0]);
      const double size = std::abs(s.scaled[j]) - s.lambda[j];
      s.u[j] = size > 0 ? std::copysign(size, s.scaled[j]) : 0.0;
    }
    s.y = s.H * s.u;
    s.q = s.u.dot(s.y);
    s.g = parts(s).g.forward(Eigen::Vector3d(s.theta_22, s.s_22, s.q));
    s.v_raw = std::abs(s.g.back()[0]);
    s.v = std::max(s.v_raw, config_.v_min * std::max(1.0, s.q));
  }

  static void write(const Step& s, Output& state) {
    for (std::size_t j = 0; j < s.o.size(); ++j) {  // Eq. (2)
      const Eigen::Index o = s.o[j];
      state.Theta(s.i, o) = state.Theta(o, s.i) = s.u[Eigen::Index(j)];
      state.W(s.i, o) = state.W(o, s.i) = -s.y[Eigen::Index(j)] / s.v;
    }
    state.Theta(s.i, s.i) = s.v + s.q;
    state.W(s.o, s.o) = s.H + s.y * s.y.transpose() / s.v;  // Eq. (3)
    state.W(s.i, s.i) = 1 / s.v;
  }

  /// G = dL/dTheta and G_W = dL/dW after the step become those before it.
  void step_backward(const Step& s, Matrix& G, Matrix& G_W, Parameters& d) const {
    const Vector d_theta_next = Vector(G(s.o, s.i)) + Vector(G(s.i, s.o).transpose());
    const Vector d_w_next = Vector(G_W(s.o, s.i)) + Vector(G_W(s.i, s.o).transpose());
    const double v2 = s.v * s.v;
    Matrix d_H = G_W(s.o, s.o);
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
    d_u += 2 * d_q * s.y + s.H * d_y;
    d_H += d_q * s.u * s.u.transpose() + d_y * s.u.transpose();

    const Vector d_z = preactivation_adjoint(s, d_u, d_H, d);
    Vector d_theta_12 = Vector::Zero(d_z.size()), d_w_12 = d_theta_12;
    f_backward(s, d_z, d_theta_12, d_w_12, d);
    d_w_12 -= (d_H + d_H.transpose()) * s.w_12 / s.w_22;

    G.row(s.i).setZero();
    G_W.setZero();
    G_W(s.o, s.o) = d_H;
    for (std::size_t j = 0; j < s.o.size(); ++j) {
      G(s.o[j], s.i) = d_theta_12[Eigen::Index(j)];
      G_W(s.o[j], s.i) = d_w_12[Eigen::Index(j)];
    }
    G(s.i, s.i) = d_theta_22;
    G_W(s.i, s.i) = s.w_12.dot(d_H * s.w_12) / (s.w_22 * s.w_22);
  }

  /// From theta_12^+ back to z: soft threshold, lambda and scaling.
  Vector preactivation_adjoint(const Step& s, const Vector& d_u, Matrix& d_H, Parameters& d) const {
    Vector d_scaled = Vector::Zero(d_u.size());
    for (Eigen::Index j = 0; j < d_u.size(); ++j) {
      if (s.u[j] == 0) continue;
      const auto& trace = s.threshold[std::size_t(j)];
      const double d_lambda = s.u[j] > 0 ? -d_u[j] : d_u[j];
      const double d_e = kappa() * (trace.back()[0] > 0 ? d_lambda : -d_lambda);
      d_scaled[j] = d_u[j] + parts(s).lambda.backward(trace, Vector::Constant(1, d_e), d)[0];
    }
    const bool depends = s.scale != 0 && config_.scaling != Scaling::none &&
                         (config_.scaling == Scaling::normalize || s.q0 > config_.zeta);
    const double d_q0 = depends ? -0.5 * s.scale / s.q0 * d_scaled.dot(s.z) : 0;
    d_H += d_q0 * s.z * s.z.transpose();
    return s.scale * d_scaled + 2 * d_q0 * s.H * s.z;
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
