#include "spodnet/models/model.hpp"

#include "spodnet/core/error.hpp"

namespace spodnet {

std::string to_string(Loss loss) {
  constexpr const char* kNames[] = {"mse", "nmse", "support", "likelihood"};
  return kNames[std::size_t(loss)];
}

Loss loss_from(const std::string& text) {
  for (const Loss loss : {Loss::squared, Loss::relative, Loss::support, Loss::likelihood})
    if (to_string(loss) == text) return loss;
  throw Error("unknown loss '" + text + "': it is mse, nmse, support or likelihood");
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
  throw Error("unknown model '" + config.model + "': this program knows " + known);
}

std::vector<std::string> ModelRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories_) names.push_back(name);
  return names;
}

}  // namespace spodnet
