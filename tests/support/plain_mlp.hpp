#pragma once

#include <string>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/layer/parameters.hpp"

namespace spodnet::test {

/// A perceptron read by name from a model's parameters: x -> A_L relu(... relu(A_0 x + b_0)) + b_L.
class PlainMlp {
 public:
  PlainMlp() = default;
  PlainMlp(const Parameters& weights, const std::string& name, int layers) {
    for (int k = 0; k < layers; ++k) {
      const ParameterView& A = *weights.find(name + "." + std::to_string(k) + ".weight");
      const ParameterView& b = *weights.find(name + "." + std::to_string(k) + ".bias");
      const auto rows = Eigen::Index(A.shape[0]), cols = Eigen::Index(A.shape[1]);
      layers_.push_back({ConstMatrixMap(&weights.values[A.offset], rows, cols),
                         Eigen::Map<const Vector>(&weights.values[b.offset], rows), A.offset,
                         b.offset});
    }
  }

  /// The input of every layer, then the output.
  using Trace = std::vector<Vector>;

  Trace forward(const Vector& x) const {
    Trace trace = {x};
    for (const Layer& layer : layers_) {
      const Vector out = layer.A * trace.back() + layer.b;
      trace.push_back(&layer != &layers_.back() ? Vector(out.cwiseMax(0.0)) : out);
    }
    return trace;
  }

  /// Adds the weights' gradients to `gradient`; returns the adjoint of the input.
  Vector backward(const Trace& trace, Vector d_out, Parameters& gradient) const {
    for (std::size_t k = layers_.size(); k-- > 0;) {
      const Layer& layer = layers_[k];
      if (k + 1 < layers_.size()) d_out = (trace[k + 1].array() > 0).select(d_out, 0.0).eval();
      double* d = gradient.values.data();
      MatrixMap(d + layer.A_offset, layer.A.rows(), layer.A.cols()) += d_out * trace[k].transpose();
      Eigen::Map<Vector>(d + layer.b_offset, d_out.size()) += d_out;
      d_out = (layer.A.transpose() * d_out).eval();
    }
    return d_out;
  }

 private:
  struct Layer {
    Matrix A;
    Vector b;
    std::size_t A_offset, b_offset;
  };
  std::vector<Layer> layers_;
};

}  // namespace spodnet::test
