#include "reproduce/learned.hpp"

#include <fmt/format.h>

#include "reproduce/cost.hpp"
#include "reproduce/epoch_log.hpp"
#include "reproduce/measure.hpp"
#include "spodnet/devices/devices.hpp"

namespace spodnet::figures {
namespace {

Estimate estimate_of(const Model& model, const DataSet& test, std::size_t k) {
  Estimate estimate = make_engine(model)->estimate(test.S[k], test.n);
  // Of numbers that left the range nothing but the identity is left, for Z as well.
  if (model.config().model == "glad" && !estimate.Z) estimate.Z = estimate.Theta;
  return estimate;
}

std::optional<Json> train_and_judge(const Study& study, const TrainJob& job,
                                    const PartContext& context) {
  const DataSet test = cell_data(study, "test", job.cell, job.k, study.scale.size(job.cell.p).test,
                                 false, context.pool);
  PartContext silent = context;  // the training's progress is the part's
  silent.progress = [](double) {};
  const auto scores = [&](const Model& model) {
    return measure(test, silent, [&](std::size_t k) { return estimate_of(model, test, k); });
  };
  EpochLog log(context.scratch);
  const auto wanted = study.scale.logged(job.preset.epochs);
  const auto after_epoch = [&](const Model& model, std::uint64_t epoch) {
    if (!std::count(wanted.begin(), wanted.end(), epoch)) return;
    if (const auto row = scores(model)) log.put(epoch, *row);
  };
  const std::optional<Trained> trained = train_job(study, job, context, after_epoch);
  if (!trained) return std::nullopt;
  const std::optional<Json> final_scores = scores(*trained->model);
  if (!final_scores) return std::nullopt;
  Json out = training_record(trained->result);
  out["lr"] = job.preset.lr;
  out["parameters"] = trained->model->parameters().values.size();
  out["history"] = log.rows();
  out["final"] = {{"epoch", out["best_epoch"]}};
  out["final"].update(*final_scores);
  forget_checkpoint(context);
  log.forget();
  return out;
}

}  // namespace

Preset learned_preset(const std::string& method) {
  if (method == "best") return preset_from("best");
  Preset preset = preset_from("paper");
  preset.model = method;
  if (method == "ubg-k2" || method == "ubg-k3") {
    preset.model = "ubg";
    preset.layers = method.back() - '0';
    preset.scaling = Scaling::clip;
    preset.learn_offset = true;
    preset.schedule = Schedule::cosine;
    preset.clip_grad = 10;
  }
  return preset;
}

TrainJob learned_job(const Study& study, const std::string& method, const Cell& cell, int k) {
  const Size& size = study.scale.size(cell.p);
  TrainJob job{.preset = learned_preset(method), .cell = cell, .k = k};
  job.preset.lr = learning_rate(study, method, cell).lr;
  job.preset.epochs =
      study.scale.full ? job.preset.epochs : std::min(job.preset.epochs, size.epochs);
  job.train = size.train;
  job.valid = size.valid;
  if (job.preset.schedule == Schedule::constant) job.patience = study.scale.patience;
  return job;
}

Part learned_part(const Study& study, const std::string& method, const Cell& cell, int k) {
  const TrainJob job = learned_job(study, method, cell, k);
  const Size& size = study.scale.size(cell.p);
  Part part;
  part.name = fmt::format("train-{}-{}", model_name(job.preset), cell_name(cell, k));
  part.settings = cell_settings(study, "train", cell, k);
  part.settings.update(to_json(job));
  part.settings["test"] = size.test;
  part.cost = training_cost(job) + double(study.scale.logged(job.preset.epochs).size()) *
                                       double(size.test) * estimate_seconds(cell.p);
  part.work = [&study, job](const PartContext& context) {
    return train_and_judge(study, job, context);
  };
  return part;
}

}  // namespace spodnet::figures
