#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <utility>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet::test {

/// Eqs. (13-17) of GLAD as they are printed: dense, slow, nothing shared with the library.
/// parameters: rho.0-2, alpha.0-1 (weight, bias each), init_offset.
struct GladReference {
  std::vector<double> parameters;
  int L = 1;

  using AlphaInputs = std::vector<std::pair<double, double>>;  ///< of NN_alpha, one per iteration

  struct Run {
    std::vector<Matrix> Theta, Z;
    AlphaInputs inputs;
  };

  static double layer(const double*& w, std::vector<double>& x, std::size_t out, bool last) {
    std::vector<double> y(out);
    const double* bias = w + out * x.size();
    for (std::size_t k = 0; k < out; ++k) {
      y[k] = bias[k];
      for (std::size_t l = 0; l < x.size(); ++l) y[k] += w[k * x.size() + l] * x[l];
      y[k] = last ? 1 / (1 + std::exp(-y[k])) : std::tanh(y[k]);
    }
    w = bias + out;
    x = std::move(y);
    return x[0];
  }

  double rho(double theta, double s, double z) const {
    const double* w = parameters.data();
    std::vector<double> x = {theta, s, z};
    layer(w, x, 3, false);
    layer(w, x, 3, false);
    return layer(w, x, 1, true);
  }

  double alpha(std::pair<double, double> input) const {
    const double* w = parameters.data() + 28;
    std::vector<double> x = {input.first, input.second};
    layer(w, x, 3, false);
    return layer(w, x, 1, true);
  }

  /// With `held`, NN_alpha sees these inputs instead of its own.
  Run iterate(const MatrixRef& S, const AlphaInputs* held = nullptr) const {
    const Matrix I = Matrix::Identity(S.rows(), S.cols());
    Matrix Z = (S + parameters.back() * I).inverse();
    Run run;
    std::pair<double, double> input{1, 0};
    for (int k = 0; k < L; ++k) {
      if (held) input = (*held)[std::size_t(k)];
      run.inputs.push_back(input);
      const double a = alpha(input);
      const Matrix Y = S / a - Z;
      const Eigen::SelfAdjointEigenSolver<Matrix> root(Matrix(Y.transpose() * Y + 4 / a * I));
      const Matrix Theta = 0.5 * (-Y + root.operatorSqrt());
      Matrix next = Theta;
      for (Eigen::Index i = 0; i < S.rows(); ++i)
        for (Eigen::Index j = 0; j < S.rows(); ++j) {
          const double t = Theta(i, j), r = rho(t, S(i, j), Z(i, j));
          next(i, j) = std::abs(t) <= r ? 0.0 : t > 0 ? t - r : t + r;
        }
      Z = next;
      input = {(Z - Theta).squaredNorm(), a};
      run.Theta.push_back(Theta);
      run.Z.push_back(Z);
    }
    return run;
  }

  std::pair<Matrix, Matrix> run(const MatrixRef& S) const {
    const Run all = iterate(S);
    return {all.Theta.back(), all.Z.back()};
  }

  AlphaInputs alpha_inputs(const MatrixRef& S) const { return iterate(S).inputs; }

  double loss(const MatrixRef& S, const MatrixRef& Theta_true, const AlphaInputs& held) const {
    double sum = 0;
    for (const Matrix& Z : iterate(S, &held).Z) sum += (Z - Theta_true).squaredNorm() / L;
    return sum;
  }
};

}  // namespace spodnet::test
