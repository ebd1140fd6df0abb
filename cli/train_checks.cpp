#include <algorithm>
#include <string>
#include <vector>

#include "cli/train_command.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet::cli {
namespace {

/// The settings of a model file that were given as options.
std::vector<std::string> given_settings(const TrainCommand& command, const ModelConfig& made) {
  std::vector<std::string> given;
  const auto add = [&](bool is_given, const char* name) {
    if (is_given) given.emplace_back(name);
  };
  add(!command.scaling.empty(), "scaling");
  add(command.zeta.has_value(), "zeta");
  add(command.v_min.has_value(), "v_min");
  add(command.standardized, "standardized");
  add(command.summary, "summary");
  const bool as_it_is = made.learn_offset && command.init_offset == "learned";
  add(!command.init_offset.empty() && !as_it_is, "init_offset");
  return given;
}

std::string option_of(std::string setting) {
  std::replace(setting.begin(), setting.end(), '_', '-');
  return "--" + setting;
}

}  // namespace

void check_effects(const TrainCommand& command, const Model& model) {
  const ModelConfig& config = model.config();
  const std::vector<std::string> unused = model.unused_settings();
  for (const std::string& setting : given_settings(command, config))
    if (std::find(unused.begin(), unused.end(), setting) != unused.end())
      throw Error(option_of(setting) + ": has no effect on model " + config.model +
                  ": leave it out, or train a model of the layer (ubg)");
  if (command.zeta && config.scaling == Scaling::none)
    throw Error("--zeta: scaling none has no radius: leave it out, or choose another --scaling");
}

void check_patience(const TrainCommand& command, const TrainData& data) {
  if (command.train.patience > 0 && data.split.valid.empty())
    throw Error("--patience: goes by the validation error, and nothing is validated: add --valid");
}

}  // namespace spodnet::cli
