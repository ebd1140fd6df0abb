#include "spodnet/models/model.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {

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
