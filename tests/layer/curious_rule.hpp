#pragma once

#include <cmath>

#include "spodnet/layer/rule.hpp"

namespace spodnet::test {

/// A smooth rule that reads everything a rule may read, in z, in lambda and in v:
///   z_j      = c0 tanh(theta_j) + c1 w_j + c2 s_j + c3 theta_22 w_22 + c4 diag_Theta_j
///              + c5 diag_S_j / sqrt(n)
///   lambda_j = c6^2 + c7^2 z_j^2 + c8^2 (w_22^2 + diag_Theta_j^2 + theta_j^2 + w_j^2) / p
///   v        = 0.5 + c9^2 q^2 + c10^2 (theta_22^2 + w_22^2) / 2
///              + c11^2 sum_j (theta_j^2 + w_j^2 + diag_Theta_j^2) / (2 p)
class CuriousRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = true;
  struct Prepared {
    const double* c = nullptr;
  };
  struct Tape {};

  explicit CuriousRule(const RuleShape&) { layout_.add("f.c", {12}, 0.4); }

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double* weights, Prepared& prepared) const { prepared.c = weights; }
  void reserve(Tape&, std::size_t) const {}

  void preactivation(const Prepared& prepared, const Column& x, double* z, Tape&) const {
    const double* c = prepared.c;
    for (std::size_t j = 0; j < x.p; ++j)
      z[j] = c[0] * std::tanh(x.theta_12[j]) + c[1] * x.w_12[j] + c[2] * x.s_12[j] +
             c[3] * x.theta_22 * x.w_22 + c[4] * x.diag_Theta[j] +
             c[5] * x.diag_S[j] / std::sqrt(x.n);
  }
  void preactivation_backward(const Prepared& prepared, const Column& x, const double* d_z, Tape&,
                              double* d, ColumnAdjoint& adjoint) const {
    const double* c = prepared.c;
    for (std::size_t j = 0; j < x.p; ++j) {
      if (j == x.i) continue;
      const double t = std::tanh(x.theta_12[j]);
      d[0] += d_z[j] * t;
      d[1] += d_z[j] * x.w_12[j];
      d[2] += d_z[j] * x.s_12[j];
      d[3] += d_z[j] * x.theta_22 * x.w_22;
      d[4] += d_z[j] * x.diag_Theta[j];
      d[5] += d_z[j] * x.diag_S[j] / std::sqrt(x.n);
      adjoint.d_theta_12[j] += d_z[j] * c[0] * (1 - t * t);
      adjoint.d_w_12[j] += d_z[j] * c[1];
      adjoint.d_theta_22 += d_z[j] * c[3] * x.w_22;
      adjoint.d_w_22 += d_z[j] * c[3] * x.theta_22;
      adjoint.d_diag_Theta[j] += d_z[j] * c[4];
    }
  }

  void thresholds(const Prepared& prepared, const Column& x, const double* z, double* lambda,
                  Tape&) const {
    const double* c = prepared.c;
    for (std::size_t j = 0; j < x.p; ++j)
      lambda[j] = c[6] * c[6] + c[7] * c[7] * z[j] * z[j] + c[8] * c[8] * read(x, j);
  }
  void thresholds_backward(const Prepared& prepared, const Column& x, const double* z,
                           const double* d_lambda, Tape&, double* d, double* d_z,
                           ColumnAdjoint& adjoint) const {
    const double* c = prepared.c;
    for (std::size_t j = 0; j < x.p; ++j) {
      if (j == x.i) continue;
      d[6] += 2 * c[6] * d_lambda[j];
      d[7] += 2 * c[7] * z[j] * z[j] * d_lambda[j];
      d[8] += 2 * c[8] * read(x, j) * d_lambda[j];
      d_z[j] += 2 * c[7] * c[7] * z[j] * d_lambda[j];
      const double d_read = 2 * c[8] * c[8] * d_lambda[j] / double(x.p);
      adjoint.d_w_22 += d_read * x.w_22;
      adjoint.d_diag_Theta[j] += d_read * x.diag_Theta[j];
      adjoint.d_theta_12[j] += d_read * x.theta_12[j];
      adjoint.d_w_12[j] += d_read * x.w_12[j];
    }
  }

  double margin(const Prepared& prepared, const Column& x, double q, Tape&) const {
    const double* c = prepared.c;
    return 0.5 + c[9] * c[9] * q * q + c[10] * c[10] * scalars(x) + c[11] * c[11] * vectors(x);
  }
  double margin_backward(const Prepared& prepared, const Column& x, double q, double d_v, Tape&,
                         double* d, ColumnAdjoint& adjoint) const {
    const double* c = prepared.c;
    d[9] += 2 * c[9] * q * q * d_v;
    d[10] += 2 * c[10] * scalars(x) * d_v;
    d[11] += 2 * c[11] * vectors(x) * d_v;
    adjoint.d_theta_22 += c[10] * c[10] * x.theta_22 * d_v;
    adjoint.d_w_22 += c[10] * c[10] * x.w_22 * d_v;
    const double d_vectors = c[11] * c[11] * d_v / double(x.p);
    for (std::size_t j = 0; j < x.p; ++j) {
      adjoint.d_theta_12[j] += d_vectors * x.theta_12[j];
      adjoint.d_w_12[j] += d_vectors * x.w_12[j];
      adjoint.d_diag_Theta[j] += d_vectors * x.diag_Theta[j];
    }
    return 2 * c[9] * c[9] * q * d_v;
  }

 private:
  static double read(const Column& x, std::size_t j) {
    return (x.w_22 * x.w_22 + x.diag_Theta[j] * x.diag_Theta[j] + x.theta_12[j] * x.theta_12[j] +
            x.w_12[j] * x.w_12[j]) /
           double(x.p);
  }
  static double scalars(const Column& x) { return (x.theta_22 * x.theta_22 + x.w_22 * x.w_22) / 2; }
  static double vectors(const Column& x) {
    double sum = 0;
    for (std::size_t j = 0; j < x.p; ++j)
      sum +=
          x.theta_12[j] * x.theta_12[j] + x.w_12[j] * x.w_12[j] + x.diag_Theta[j] * x.diag_Theta[j];
    return sum / (2 * double(x.p));
  }

  ParameterLayout layout_;
};

}  // namespace spodnet::test
