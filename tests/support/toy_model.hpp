#pragma once

#include <memory>

#include "spodnet/models/engine.hpp"

namespace spodnet::test {

/// The smallest trainable model: Theta_ij = sum_k w_k tanh(k S_ij) + exp(b) delta_ij, with its
/// analytic gradient. Tensors `layers.0.toy.0.weight` [width,1] and `layers.0.toy.0.bias` [1].
/// Once the loss of a batch falls below `break_below`, its engine says not_finite.
class ToyModel : public Model {
 public:
  explicit ToyModel(const ModelConfig& config);
  std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) const override;

  Matrix theta(const MatrixRef& S) const;

  double break_below = 0;
};

ModelRegistry toy_registry();  ///< knows "toy"

}  // namespace spodnet::test
