#include "spodnet/models/lanes_group.hpp"

#include <algorithm>

namespace spodnet {

UbgShape ubg_shape(const ParameterLayout& layer, std::size_t p) {
  const auto find = [&](const std::string& name) -> const ParameterView& {
    return *std::find_if(layer.views().begin(), layer.views().end(),
                         [&](const ParameterView& view) { return view.name == name; });
  };
  UbgShape shape;
  shape.p = p;
  shape.gamma_hidden = find("f.gamma.0.weight").shape[0];
  shape.lambda_hidden = find("f.lambda.0.weight").shape[0];
  shape.g_hidden = find("g.0.weight").shape[0];
  shape.gamma_A1 = find("f.gamma.0.weight").offset;
  shape.gamma_b1 = find("f.gamma.0.bias").offset;
  shape.gamma_A2 = find("f.gamma.1.weight").offset;
  shape.gamma_b2 = find("f.gamma.1.bias").offset;
  shape.lambda_B1 = find("f.lambda.0.weight").offset;
  shape.lambda_c1 = find("f.lambda.0.bias").offset;
  shape.lambda_B2 = find("f.lambda.1.weight").offset;
  shape.lambda_c2 = find("f.lambda.1.bias").offset;
  for (std::size_t k = 0; k < 3; ++k) {
    shape.g_A[k] = find("g." + std::to_string(k) + ".weight").offset;
    shape.g_b[k] = find("g." + std::to_string(k) + ".bias").offset;
  }
  return shape;
}

std::vector<std::span<const Sample>> lanes_groups(std::span<const Sample> batch) {
  const LanesKernels& lanes = lanes_kernels();
  std::vector<std::span<const Sample>> groups;
  while (!batch.empty()) {
    const std::size_t count =
        std::min(batch.size(), batch.size() <= lanes.narrow ? lanes.narrow : lanes.wide);
    groups.push_back(batch.first(count));
    batch = batch.subspan(count);
  }
  return groups;
}

void LanesGroup::set_weights(const LanesBatch& batch, std::vector<double>& gradient) {
  const ModelConfig& config = batch.config;
  const std::size_t layers = std::size_t(config.layers);
  const std::size_t stride =
      config.tied ? 0 : (batch.weights.size() - std::size_t(config.learn_offset)) / layers;
  weights_.resize(layers), d_weights_.resize(layers);
  for (std::size_t k = 0; k < layers; ++k) {
    weights_[k] = batch.weights.data() + k * stride;
    d_weights_[k] = gradient.data() + k * stride;
  }
}

void LanesGroup::set_samples(const LanesBatch& batch, std::span<const Sample> samples) {
  const std::size_t count = samples.size();
  S_.resize(count), Theta_true_.resize(count), unit_.resize(count), factor_.resize(count);
  error_.resize(count), truth_.resize(count);
  for (std::size_t s = 0; s < count; ++s) {
    S_[s] = samples[s].S, Theta_true_[s] = samples[s].Theta_true;
    unit_[s] = loss_unit(batch.loss, samples[s]);
    factor_[s] = 2.0 / (unit_[s] * double(batch.size));
  }
}

void LanesGroup::run(const LanesBatch& batch, std::span<const Sample> samples,
                     std::vector<double>& gradient, std::span<MatrixLoss> losses) {
  set_weights(batch, gradient);
  set_samples(batch, samples);
  const LanesKernels& lanes = lanes_kernels();
  const std::size_t layers = weights_.size(), count = samples.size();
  const std::size_t needed = lanes_scratch(batch.shape, layers, lanes.wide);
  if (scratch_.size() < needed) scratch_.resize(needed);

  bool good[16];
  double d_offset = 0;
  const LanesJob job{.shape = batch.shape,
                     .layers = layers,
                     .scaling = int(batch.options.scaling),
                     .zeta = batch.options.zeta,
                     .v_min = batch.options.v_min,
                     .drift_limit = batch.options.drift_limit,
                     .offset = batch.offset,
                     .learn_offset = batch.config.learn_offset,
                     .weights = weights_.data(),
                     .d_weights = d_weights_.data(),
                     .d_offset = &d_offset,
                     .count = count,
                     .S = S_.data(),
                     .Theta_true = Theta_true_.data(),
                     .factor = factor_.data(),
                     .squared_error = error_.data(),
                     .squared_truth = truth_.data(),
                     .good = good,
                     .scratch = scratch_.data()};
  (count <= lanes.narrow ? lanes.run_narrow : lanes.run_wide)(job);
  if (batch.config.learn_offset) gradient.back() += batch.offset * d_offset;  // a = exp(a0)
  for (std::size_t s = 0; s < count; ++s)
    losses[s] = {error_[s] / unit_[s], error_[s] / truth_[s],
                 good[s] ? Status::ok : Status::not_converged, 0};
}

}  // namespace spodnet
