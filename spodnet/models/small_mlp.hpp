#pragma once

#include <string>

#include "spodnet/core/kernels.hpp"
#include "spodnet/layer/parameters.hpp"

namespace spodnet {

/// lambda_j = kappa |MLP(x_j)|, the same small perceptron 1 -> hidden -> ReLU -> 1 for each entry.
class ElementwiseMlp {
 public:
  ElementwiseMlp() = default;
  ElementwiseMlp(ParameterLayout& layout, const std::string& name, std::size_t hidden,
                 double kappa);

  void forward(const double* weights, std::size_t n, const double* x, double* lambda) const;
  /// Adds to d_x and d_weights.
  void backward(const double* weights, std::size_t n, const double* x, const double* d_lambda,
                double* d_x, double* d_weights) const;

  // The same with the soft threshold, one pass each (core/kernels.hpp).
  /// z *= scale, u = soft_threshold(z, lambda).
  void threshold(const double* weights, std::size_t n, double scale, double* z, double* u) const;
  /// d_z from d_u, adding to d_weights; returns d_z'z.
  double threshold_backward(const double* weights, std::size_t n, const double* z,
                            const ThresholdAdjoint& adjoint, double* d_z, double* d_weights) const;

 private:
  ScalarMlpGradient gradient(double* d_weights) const {
    return {d_weights + B1_, d_weights + c1_, d_weights + B2_, d_weights + c2_};
  }
  ScalarMlp view(const double* weights) const;

  std::size_t hidden_ = 0, B1_ = 0, c1_ = 0, B2_ = 0, c2_ = 0;
  double kappa_ = 1;
};

/// |MLP(x)| of three numbers, 3 -> hidden -> ReLU -> hidden -> ReLU -> 1: the paper's g.
class MarginMlp {
 public:
  static constexpr std::size_t kInputs = 3, kMaxHidden = 64;

  MarginMlp() = default;
  /// Throws Error when hidden exceeds kMaxHidden.
  MarginMlp(ParameterLayout& layout, const std::string& name, std::size_t hidden);

  double forward(const double* weights, const double x[kInputs]) const;
  /// Adds to d_x and d_weights.
  void backward(const double* weights, const double x[kInputs], double d_value, double d_x[kInputs],
                double* d_weights) const;

 private:
  struct Activations {
    double h1[kMaxHidden], h2[kMaxHidden], out;
  };
  static constexpr std::size_t kUsual = 3;  ///< the paper's width, compiled apart

  /// H: the width, 0 for any.
  template <std::size_t H>
  void activate(const double* weights, const double* x, Activations& a) const;
  template <std::size_t H>
  void backward_width(const double* weights, const double x[kInputs], double d_value,
                      double d_x[kInputs], double* d_weights) const;

  std::size_t hidden_ = 0;
  std::size_t A_[3] = {}, b_[3] = {};
};

}  // namespace spodnet
