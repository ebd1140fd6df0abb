#pragma once

#include <map>
#include <string>
#include <vector>

#include "spodnet/train/trainer.hpp"

namespace spodnet {

/// The epoch whose weights the model has; all unmeasured before the first is complete.
EpochRow final_row(const TrainResult& result);

/// What a model file says of its training: data, settings and outcome as train.*, the measured
/// numbers of the final epoch as final.*.
void describe_training(const SampleSource& source, std::size_t valid_count,
                       const TrainOptions& options, const TrainResult& result,
                       std::map<std::string, std::string>& info);

}  // namespace spodnet
