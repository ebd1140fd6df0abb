#include "reproduce/training.hpp"

#include <fmt/format.h>

#include "reproduce/cost.hpp"
#include "spodnet/devices/device_record.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/train/epoch_samples.hpp"

namespace spodnet::figures {
namespace {

std::filesystem::path checkpoint_of(const PartContext& context) {
  return context.scratch.string() + ".checkpoint";
}

}  // namespace

Json to_json(const TrainJob& job) {
  const Preset& preset = job.preset;
  Json widths = Json::object();
  for (const auto& [part, width] : preset.widths) widths[part] = width;
  return {{"model", preset.model},
          {"layers", preset.layers},
          {"tied", preset.tied},
          {"scaling", to_string(preset.scaling)},
          {"offset", preset.learn_offset ? "learned" : "1"},
          {"widths", widths},
          {"schedule", to_string(preset.schedule)},
          {"loss", preset.loss},
          {"lr", preset.lr},
          {"clip_grad", preset.clip_grad},
          {"epochs", preset.epochs},
          {"batch", preset.batch},
          {"patience", job.patience},
          {"train", job.train},
          {"valid", job.valid},
          {"role", job.role}};
}

std::string model_name(const Preset& preset) {
  std::string name = preset.model;
  if (preset.layers > 1) name += fmt::format("-k{}", preset.layers);
  if (preset.scaling != Scaling::normalize) name += "-" + to_string(preset.scaling);
  return name;
}

double training_cost(const TrainJob& job) {
  const Preset& preset = job.preset;
  const double epochs = double(preset.epochs), p10 = double(preset.batch) / 10;
  const double steps = epochs * double((job.train + preset.batch - 1) / preset.batch);
  return steps * p10 * step_seconds(preset.model, job.cell.p, preset.layers) +
         epochs * double(job.valid) * estimate_seconds(job.cell.p) +
         double(job.train) * data_seconds(job.cell.p, job.cell.n);
}

std::optional<Trained> train_job(
    const Study& study, const TrainJob& job, const PartContext& context,
    const std::function<void(const Model&, std::uint64_t epoch)>& after_epoch) {
  const DataSet data =
      cell_data(study, job.role + "train", job.cell, job.k, job.train, false, context.pool);
  DataSet valid;
  if (job.valid > 0)
    valid = cell_data(study, job.role + "valid", job.cell, job.k, job.valid, false, context.pool);
  const std::uint64_t seed = stream_seed(study, job.role + "weights", job.cell, job.k);
  Trained out{study.models.make(model_config(job.preset, job.cell.p)), {}};
  out.model->parameters().initialise(seed);
  TrainOptions options = train_options(job.preset);
  options.patience = job.patience;
  options.seed = seed;
  options.checkpoint = checkpoint_of(context);
  options.resume = true;
  options.stop = &context.stop;
  options.after_epoch = after_epoch;
  options.progress = [&](const TrainProgress& at) {
    context.progress(double(at.step) / double(at.steps));
  };
  const std::vector<Sample> training = samples(data), judges = samples(valid);
  const DeviceChoice choice = choose_device(study.engine.device, out.model->config(),
                                            {.p = job.cell.p,
                                             .matrices = options.batch,
                                             .training = true,
                                             .threads = context.pool.size()});
  const auto engine = make_engine(*out.model, {.device = choice.device, .pool = &context.pool});
  if (study.engine.record) study.engine.record->add(choice, training.size());
  GivenSamples source(training);
  check_samples(*out.model, training);
  out.result = train(*out.model, *engine, source, judges, options, context.pool);
  if (out.result.status == Status::interrupted) return std::nullopt;
  return out;
}

void forget_checkpoint(const PartContext& context) {
  std::error_code ignored;
  std::filesystem::remove(checkpoint_of(context), ignored);
}

Json training_record(const TrainResult& result) {
  const std::uint64_t best = result.best_epoch;
  return {{"status", std::string(to_string(result.status))},
          {"message", result.message},
          {"epochs", result.history.size()},
          {"best_epoch", best},
          {"valid_nmse", best > 0 ? to_json(result.history[best - 1].valid_nmse) : Json(nullptr)},
          {"steps", result.steps},
          {"train_seconds", result.seconds}};
}

}  // namespace spodnet::figures
