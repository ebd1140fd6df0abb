#pragma once

#include <memory>

#include "spodnet/models/model.hpp"

namespace spodnet::test {

/// The smallest trainable model: Theta_ij = sum_k w_k tanh(k S_ij) + exp(b) delta_ij, with its
/// analytic gradient. Tensors `layers.0.toy.0.weight` [width,1] and `layers.0.toy.0.bias` [1].
/// Once the loss of a batch falls below `break_below`, loss_gradient says not_finite.
class ToyModel : public Model {
 public:
  explicit ToyModel(const ModelConfig& config);
  std::unique_ptr<TrainWorkspace> make_workspace() const override;
  BatchLoss loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                          ThreadPool& pool, TrainWorkspace& workspace) const override;
  Estimate estimate(const MatrixRef& S, double n) const override;

  double break_below = 0;

 private:
  Matrix theta(const MatrixRef& S) const;
};

ModelRegistry toy_registry();  ///< knows "toy"

}  // namespace spodnet::test
