#pragma once

#include <span>
#include <string>

#include "spodnet/models/engine.hpp"

namespace spodnet::test {

// One call each on a new engine of the CPU, for tests of what a model computes.

/// Mean loss of a batch and its gradient.
BatchLoss loss_gradient(const Model& model, std::span<const Sample> batch,
                        std::span<double> gradient, ThreadPool& pool,
                        const std::string& loss = "mse");
/// The same by an engine that stays.
BatchLoss loss_gradient(Engine& engine, std::span<const Sample> batch, std::span<double> gradient,
                        const std::string& loss = "mse");

Estimate estimate(const Model& model, const MatrixRef& S, double n, double sparsity = 1);
Estimate estimate_within(const Model& model, const Constraints& constraints, const MatrixRef& S,
                         double n);

}  // namespace spodnet::test
