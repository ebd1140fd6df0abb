#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "reproduce/study.hpp"
#include "spodnet/train/preset.hpp"

namespace spodnet::figures {

/// A training on generated data: all that decides its outcome, beside the study's seed.
struct TrainJob {
  Preset preset;  ///< lr and epochs as they are used
  Cell cell;
  int k = 0;  ///< repetition
  std::size_t train = 0, valid = 0;
  std::uint64_t patience = 0;
  std::string role;  ///< begin of the names of its streams: empty, or "choose-"
};

/// The job as settings of a part, without the cell.
Json to_json(const TrainJob& job);

/// "ubg-k3-clip": the model of a job, for the names of parts.
std::string model_name(const Preset& preset);

double training_cost(const TrainJob& job);

struct Trained {
  std::unique_ptr<Model> model;  ///< weights of the best epoch, or of the last without validation
  TrainResult result;
};

/// Trains by the job, going on from the context's checkpoint when there is one. Nothing when it
/// was stopped (the checkpoint is left). Its own progress counts as all of the part's.
std::optional<Trained> train_job(
    const Study& study, const TrainJob& job, const PartContext& context,
    const std::function<void(const Model&, std::uint64_t epoch)>& after_epoch = {});

/// Removes the checkpoint: when the part's result is complete.
void forget_checkpoint(const PartContext& context);

/// status, message, epochs, best_epoch, valid_nmse, steps and seconds of a training.
Json training_record(const TrainResult& result);

}  // namespace spodnet::figures
