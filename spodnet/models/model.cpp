#include "spodnet/models/model.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {

namespace {

constexpr const char* kLossNames[] = {"mse", "nmse", "support", "likelihood", "balanced"};

}  // namespace

std::string to_string(Loss loss) { return kLossNames[std::size_t(loss)]; }

std::vector<std::string> loss_names() { return {std::begin(kLossNames), std::end(kLossNames)}; }

Loss loss_from(const std::string& text) {
  for (std::size_t k = 0; k < std::size(kLossNames); ++k)
    if (kLossNames[k] == text) return Loss(k);
  throw Error("unknown loss '" + text + "': it is mse, nmse, support, likelihood or balanced");
}

double support_weight(Loss loss) {
  if (loss == Loss::balanced) return 0.3;
  return loss == Loss::support || loss == Loss::likelihood ? 0.05 : 0.0;
}

double loss_unit(Loss loss, const Sample& sample) {
  if (loss == Loss::squared) return 1;
  const auto p = Eigen::Index(sample.p);
  return ConstMatrixMap(sample.Theta_true, p, p).squaredNorm();
}

Estimate Model::estimate_within(const Constraints&, const MatrixRef&, double) const {
  throw Error("model " + config_.model +
              ": it cannot keep forbidden edges or signs; use a model such as ubg, or glasso");
}

void ModelRegistry::add(const std::string& name, ModelFactory factory) {
  factories_[name] = std::move(factory);
}

std::unique_ptr<Model> ModelRegistry::make(const ModelConfig& config) const {
  const auto found = factories_.find(config.model);
  if (found != factories_.end()) return found->second(config);
  std::string known;
  for (const std::string& name : names()) known += (known.empty() ? "" : ", ") + name;
  throw Error("unknown model " + shown(config.model) + ": this program knows " + known);
}

std::vector<std::string> ModelRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories_) names.push_back(name);
  return names;
}

}  // namespace spodnet
