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

std::vector<Part> lanes_groups(std::size_t count) {
  const LanesKernels& lanes = lanes_kernels();
  std::vector<Part> groups;
  for (std::size_t first = 0; first < count; first += groups.back().count) {
    const std::size_t left = count - first;
    groups.push_back({first, std::min(left, left <= lanes.narrow ? lanes.narrow : lanes.wide)});
  }
  return groups;
}

namespace {

/// Consecutive p x p matrices.
template <class Pointer>
void point_at(std::vector<Pointer>& out, Pointer first, std::size_t count, std::size_t p) {
  out.resize(count);
  for (std::size_t s = 0; s < count; ++s) out[s] = first + s * p * p;
}

}  // namespace

void LanesGroup::set_weights(const LanesBatch& batch, double* gradient) {
  const ModelConfig& config = batch.config;
  const std::size_t layers = std::size_t(config.layers);
  const std::size_t stride =
      config.tied ? 0 : (batch.weights.size() - std::size_t(config.learn_offset)) / layers;
  weights_.resize(layers), d_weights_.resize(layers);
  for (std::size_t k = 0; k < layers; ++k) {
    weights_[k] = batch.weights.data() + k * stride;
    d_weights_[k] = gradient ? gradient + k * stride : nullptr;
  }
}

void LanesGroup::set_losses(const LanesLoss& loss, std::span<const Sample> samples) {
  const std::size_t count = samples.size();
  in_.resize(count), unit_.resize(count), factor_.resize(count);
  error_.resize(count), truth_.resize(count);
  for (std::size_t s = 0; s < count; ++s) {
    in_[s] = samples[s].Theta_true;
    const auto p = Eigen::Index(samples[s].p);
    unit_[s] = *loss.loss.squared_error_unit(ConstMatrixMap(samples[s].Theta_true, p, p));
    factor_[s] = 2.0 / (unit_[s] * loss.divisor);
  }
}

LanesJob LanesGroup::job(const LanesBatch& batch, std::size_t count) {
  return {.shape = batch.shape,
          .layers = std::size_t(batch.config.layers),
          .scaling = batch.options.scaling,
          .zeta = batch.options.zeta,
          .v_min = batch.options.v_min,
          .drift_limit = batch.options.drift_limit,
          .offset = batch.offset,
          .learn_offset = batch.config.learn_offset,
          .count = count,
          .good = good_};
}

void LanesGroup::go(const LanesBatch& batch, LanesJob& job, std::span<double> gradient) {
  const LanesKernels& lanes = lanes_kernels();
  set_weights(batch, gradient.data());
  const std::size_t needed = lanes_scratch(batch.shape, job.layers, lanes.wide);
  if (scratch_.size() < needed) scratch_.resize(needed);
  double d_offset = 0;
  job.weights = weights_.data(), job.d_weights = d_weights_.data();
  job.d_offset = &d_offset;
  job.scratch = scratch_.data();
  (job.count <= lanes.narrow ? lanes.run_narrow : lanes.run_wide)(job);
  if (job.learn_offset && !gradient.empty())
    gradient.back() += batch.offset * d_offset;  // a = exp(a0)
}

void LanesGroup::run(const LanesBatch& batch, const LanesLoss& loss,
                     std::span<const Sample> samples, std::span<double> gradient,
                     std::span<MatrixLoss> losses) {
  LanesJob job = this->job(batch, samples.size());
  S_.resize(samples.size());
  std::transform(samples.begin(), samples.end(), S_.begin(), [](const Sample& s) { return s.S; });
  set_losses(loss, samples);
  job.S = S_.data(), job.Theta_true = in_.data(), job.factor = factor_.data();
  job.squared_error = error_.data(), job.squared_truth = truth_.data();
  go(batch, job, gradient);
  for (std::size_t s = 0; s < samples.size(); ++s)
    losses[s] = {error_[s] / unit_[s], error_[s] / truth_[s],
                 good_[s] ? Status::ok : Status::not_converged, 0};
}

void LanesGroup::forward(const LanesBatch& batch, std::span<const Sample> samples, double* Theta,
                         double* W, std::span<bool> good) {
  count_ = samples.size();
  LanesJob job = this->job(batch, count_);
  S_.resize(count_);
  std::transform(samples.begin(), samples.end(), S_.begin(), [](const Sample& s) { return s.S; });
  point_at(Theta_, Theta, count_, batch.shape.p);
  point_at(W_, W, count_, batch.shape.p);
  job.way = LanesWay::there;
  job.S = S_.data(), job.Theta = Theta_.data(), job.W = W_.data();
  go(batch, job, {});
  std::copy_n(good_, count_, good.begin());
}

void LanesGroup::backward(const LanesBatch& batch, const double* d_Theta,
                          std::span<double> gradient) {
  LanesJob job = this->job(batch, count_);
  point_at(in_, d_Theta, count_, batch.shape.p);
  job.way = LanesWay::back;
  job.d_Theta = in_.data();
  go(batch, job, gradient);
  std::fill_n(good_, count_, false);  // W is undone
}

}  // namespace spodnet
