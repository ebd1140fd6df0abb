#include "spodnet/models/chunk.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/symmetry.hpp"
#include "spodnet/models/input_offset.hpp"
#include "spodnet/problem/builtin.hpp"

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

ModelConfig started_config(ModelConfig config) {
  config.standardized = config.summary = true;
  config.scaling = Scaling::relative;
  config.zeta = 1;
  config.learn_offset = false;
  config.init_offset = 1;
  return config;
}

void check_sample(const Sample& sample, const Model& model, bool needs_n) {
  const std::size_t p = model.config().p;
  const std::string size = std::to_string(sample.p) + " x " + std::to_string(sample.p);
  if (sample.p < 1) throw Error("estimate: the covariance has no variable");
  if (p > 0 && sample.p != p)
    throw Error("estimate: the covariance is " + size +
                " but the model was made for p = " + std::to_string(p));
  if (!finite_and_symmetric(sample.S, sample.p)) {
    const ConstMatrixMap S(sample.S, Eigen::Index(sample.p), Eigen::Index(sample.p));
    if (!S.allFinite()) throw Error("estimate: the covariance has entries that are not finite");
    if ((S - S.transpose()).cwiseAbs().maxCoeff() > 1e-8 * S.cwiseAbs().maxCoeff())
      throw Error("estimate: the covariance is not symmetric");
  }
  if (needs_n && !(sample.n >= 1 && std::isfinite(sample.n)))
    throw AdvisedError(
        "model " + model.config().model + ": needs the number of samples behind the covariance",
        Advice::sample_count);
  if (sample.constraints && sample.constraints->p() != sample.p)
    throw Error("estimate: the constraints are for " + std::to_string(sample.constraints->p()) +
                " variables, the covariance has " + std::to_string(sample.p));
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

std::vector<Part> equal_parts(std::span<const Sample> kept, std::span<const std::uint32_t> which,
                              std::size_t size) {
  std::vector<Part> parts;
  for (std::size_t k = 0; k < which.size(); k += parts.back().count) {
    const std::size_t p = kept[which[k]].p;
    std::size_t count = 1;
    while (count < size && k + count < which.size() && kept[which[k + count]].p == p) ++count;
    parts.push_back({k, count});
  }
  return parts;
}

LossOfOutput evaluate_loss(const Loss& loss, const Matrix& Theta, const ConstMatrixMap& Theta_true,
                           double weight, AdjointState& adjoint) {
  Matrix G(Theta.rows(), Theta.cols());
  const ConstMatrixMap output(Theta.data(), Theta.rows(), Theta.cols());
  const MatrixMap gradient(G.data(), G.rows(), G.cols());
  const ErrorNorms norms = squared_error(output, Theta_true, 1, gradient);
  const double value = loss.evaluate(output, Theta_true, weight, gradient);
  adjoint.assign(G.data());
  return {value, norms.difference / norms.truth};
}

}  // namespace spodnet
