#pragma once

#include <string>
#include <vector>

#include "spodnet/models/model.hpp"
#include "spodnet/train/trainer.hpp"

namespace spodnet {

/// A model and its training under one name: what `train --preset` and the experiments start from.
struct Preset {
  std::string name;
  std::string model = "ubg";
  int layers = 1;
  bool tied = false;
  Scaling scaling = Scaling::normalize;
  bool learn_offset = false;
  std::map<std::string, std::size_t> widths;  ///< hidden widths that differ from the default
  Schedule schedule = Schedule::constant;
  std::string loss = "mse";
  double lr = 1e-2;
  double clip_grad = 0;
  std::uint64_t epochs = 100;
  std::size_t batch = 10;
};

/// paper: UBG as published. fast: UBG with the options that mend it, trained in seconds. best: the
/// settings that had the smallest NMSE on development seeds (docs/models.md). Any other name: Error
/// that lists the known ones.
Preset preset_from(const std::string& name);
std::vector<std::string> preset_names();

/// What the preset says of the model, for p variables.
ModelConfig model_config(const Preset& preset, std::size_t p);

/// What the preset says of the training.
TrainOptions train_options(const Preset& preset);

}  // namespace spodnet
