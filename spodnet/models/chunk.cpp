#include "spodnet/models/chunk.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/models/input_offset.hpp"

namespace spodnet {

void check_network_config(const ModelConfig& config, bool any_p) {
  if (config.standardized && !any_p)
    throw Error("model " + config.model + ": only size-free models (ubg-any) can be standardized");
  if (config.summary && !any_p)
    throw Error("model " + config.model + ": only size-free models (ubg-any) can read a summary");
  if (config.p < 1 && !any_p) throw Error("model " + config.model + ": p must be at least 1");
  if (config.layers < 1) throw Error("model " + config.model + ": layers must be at least 1");
  if (!(config.zeta > 0) || !std::isfinite(config.zeta))
    throw Error("model " + config.model + ": zeta must be positive");
  if (!(config.v_min >= 0) || !std::isfinite(config.v_min))
    throw Error("model " + config.model + ": v_min must not be negative");
  if (!config.learn_offset && (!(config.init_offset > 0) || !std::isfinite(config.init_offset)))
    throw Error("model " + config.model + ": init_offset must be positive or learned");
}

void check_covariance(const MatrixRef& S, std::size_t p) {
  if (p == 0 && (S.rows() < 1 || S.rows() != S.cols()))
    throw Error("estimate: the covariance is " + std::to_string(S.rows()) + " x " +
                std::to_string(S.cols()) + ": it must be square, with at least one variable");
  if (p > 0 && (std::size_t(S.rows()) != p || std::size_t(S.cols()) != p))
    throw Error("estimate: the covariance is " + std::to_string(S.rows()) + " x " +
                std::to_string(S.cols()) + " but the model was made for p = " + std::to_string(p));
  if (!S.allFinite()) throw Error("estimate: the covariance has entries that are not finite");
  if ((S - S.transpose()).cwiseAbs().maxCoeff() > 1e-8 * S.cwiseAbs().maxCoeff())
    throw Error("estimate: the covariance is not symmetric");
}

void check_constraints(const Constraints& constraints, std::size_t p) {
  if (constraints.p() != p)
    throw Error("estimate: the constraints are for " + std::to_string(constraints.p()) +
                " variables, the model for " + std::to_string(p));
}

bool none_constrained(std::span<const Sample> batch) {
  return std::none_of(batch.begin(), batch.end(),
                      [](const Sample& sample) { return sample.constraints != nullptr; });
}

std::size_t network_offset_terms(const ModelConfig& config, bool any_p) {
  if (!any_p) return 1;
  return InputOffset::kShapeTerms + (config.summary ? kSummaryNumbers : 0);
}

ParameterLayout network_layout(const ParameterLayout& rule, const ModelConfig& config, bool any_p) {
  ParameterLayout layout;
  for (int k = 0; k < (config.tied ? 1 : config.layers); ++k)
    layout.append(rule, "layers." + std::to_string(k) + ".");
  std::vector<double> offset(network_offset_terms(config, any_p));
  offset[0] = -1;
  if (config.learn_offset) layout.add_values("init_offset", {offset.size()}, offset);
  if (layout.size() > config.most_parameters)
    throw Error("model " + config.model + " with p = " + std::to_string(config.p) + " has " +
                std::to_string(layout.size()) +
                " parameters, far more than are stored: the file is damaged");
  return layout;
}

std::vector<std::span<const Sample>> equal_parts(std::span<const Sample> batch, std::size_t size) {
  std::vector<std::span<const Sample>> parts;
  for (std::size_t k = 0; k < batch.size(); k += parts.back().size()) {
    std::size_t count = 1;
    while (count < size && k + count < batch.size() && batch[k + count].p == batch[k].p) ++count;
    parts.push_back(batch.subspan(k, count));
  }
  return parts;
}

BatchLoss reduce_batch(const std::vector<std::vector<double>>& gradients,
                       std::span<const MatrixLoss> losses, std::span<double> gradient) {
  BatchLoss batch;
  const double scale = 1.0 / double(losses.size());
  for (const MatrixLoss& loss : losses) {
    batch.loss += scale * loss.loss;
    batch.nmse += scale * loss.nmse;
    batch.refreshes += loss.refreshes;
    if (loss.status != Status::ok) batch.status = Status::not_finite;
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  double total = 0;
  for (const auto& part : gradients) kernels().add(part.size(), part.data(), gradient.data());
  for (double g : gradient) total += g * g;
  if (!std::isfinite(batch.loss) || !std::isfinite(total)) batch.status = Status::not_finite;
  return batch;
}

}  // namespace spodnet
