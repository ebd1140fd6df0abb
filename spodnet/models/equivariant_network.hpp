#pragma once

#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/data/constraints.hpp"
#include "spodnet/models/door.hpp"
#include "spodnet/models/network.hpp"

namespace spodnet {

/// A network of a size-free rule behind a Door: permuting the variables permutes the estimate, and
/// with config.standardized changing their units changes its units. The loss of a standardized
/// model is measured inside, on the scale of correlations.
template <SizeFreeRule Rule>
class EquivariantNetwork final : public Network<Rule> {
 public:
  using Network<Rule>::Network;

  std::unique_ptr<TrainWorkspace> make_workspace() const override {
    auto workspace = std::make_unique<Workspace>();
    workspace->inside = Network<Rule>::make_workspace();
    return workspace;
  }

  BatchLoss loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                          ThreadPool& pool, TrainWorkspace& workspace) const override {
    auto& ws = static_cast<Workspace&>(workspace);
    ws.entered.resize(std::max(ws.entered.size(), batch.size()));
    ws.samples.assign(batch.begin(), batch.end());
    pool.run(batch.size(), [&](std::size_t k, int) { enter(ws.samples[k], ws.entered[k]); });
    return Network<Rule>::loss_gradient(ws.samples, gradient, pool, *ws.inside);
  }

 protected:
  Estimate estimate_sample(const MatrixRef& S, double n,
                           const Constraints* constraints) const override {
    check_covariance(S, 0);
    if (!(n >= 1) || !std::isfinite(n))
      throw Error("model " + this->config_.model +
                  ": needs the number of samples behind the covariance (--samples-count)");
    const Matrix outside = S;  // contiguous, row-major
    const Door door(outside.data(), std::size_t(S.rows()), this->config_.standardized);
    Matrix inside(S.rows(), S.cols());
    door.enter_covariance(outside.data(), inside.data());
    std::optional<Constraints> permuted;
    if (constraints) check_constraints(*constraints, std::size_t(S.rows()));
    if (constraints) permuted = constraints->among(door.order());
    Estimate estimate = Network<Rule>::estimate_sample(inside, n, permuted ? &*permuted : nullptr);
    estimate.Theta = door.leave_precision(estimate.Theta);
    estimate.W = door.leave_covariance(estimate.W);
    return estimate;
  }

 private:
  struct Entered {
    std::vector<double> matrices;  ///< S then Theta_true
    std::optional<Constraints> constraints;
  };

  struct Workspace : TrainWorkspace {
    std::unique_ptr<TrainWorkspace> inside;
    std::vector<Entered> entered;
    std::vector<Sample> samples;
  };

  void enter(Sample& sample, Entered& entered) const {
    const std::size_t size = sample.p * sample.p;
    std::vector<double>& matrices = entered.matrices;
    if (matrices.size() < 2 * size) matrices.resize(2 * size);
    const Door door(sample.S, sample.p, this->config_.standardized);
    door.enter_covariance(sample.S, matrices.data());
    door.enter_precision(sample.Theta_true, matrices.data() + size);
    if (sample.constraints) {
      entered.constraints = sample.constraints->among(door.order());
      sample.constraints = &*entered.constraints;
    }
    sample.S = matrices.data();
    sample.Theta_true = matrices.data() + size;
  }
};

/// Registers a size-free rule behind a door.
template <SizeFreeRule Rule>
void add_equivariant_rule(ModelRegistry& registry, const std::string& name) {
  registry.add(name, [](const ModelConfig& config) -> std::unique_ptr<Model> {
    return std::make_unique<EquivariantNetwork<Rule>>(
        config, Rule(RuleShape{0, config.widths, config.summary}));
  });
}

}  // namespace spodnet
