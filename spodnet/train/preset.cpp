#include "spodnet/train/preset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {.name = "paper"},
      {.name = "fast",
       .model = "ubg",
       .layers = 3,
       .scaling = Scaling::clip,
       .learn_offset = true,
       .schedule = Schedule::cosine,
       .clip_grad = 10},
      {.name = "best",
       .model = "pnp-any",
       .layers = 3,
       .scaling = Scaling::relative,
       .learn_offset = true,
       .schedule = Schedule::cosine,
       .loss = "nmse",
       .lr = 5e-3,
       .clip_grad = 0.1,
       .epochs = 30},
  };
  return all;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

Preset preset_from(const std::string& name) {
  for (const Preset& preset : presets())
    if (preset.name == name) return preset;
  throw Error(
      fmt::format("unknown preset '{}': there are {}", name, fmt::join(preset_names(), ", ")));
}

ModelConfig model_config(const Preset& preset, std::size_t p) {
  return {.model = preset.model,
          .p = p,
          .layers = preset.layers,
          .tied = preset.tied,
          .scaling = preset.scaling,
          .learn_offset = preset.learn_offset,
          .widths = preset.widths};
}

TrainOptions train_options(const Preset& preset) {
  return {.epochs = preset.epochs,
          .batch = preset.batch,
          .lr = preset.lr,
          .schedule = preset.schedule,
          .loss = builtin_loss(preset.loss),
          .clip_grad = preset.clip_grad};
}

}  // namespace spodnet
