#include <sys/resource.h>

#include <cmath>

#include "cli/report.hpp"
#include "cli/train_command.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet::cli {
namespace {

struct Metric {
  const char* name;
  double EpochRow::*value;
};

constexpr Metric kMetrics[] = {
    {"train_loss", &EpochRow::train_loss},
    {"train_nmse", &EpochRow::train_nmse},
    {"valid_nmse", &EpochRow::valid_nmse},
    {"valid_f1", &EpochRow::valid_f1},
    {"valid_f1_offdiag", &EpochRow::valid_f1_offdiag},
    {"eig_min", &EpochRow::eig_min},
    {"condition", &EpochRow::condition},
    {"density", &EpochRow::density},
};

/// The epoch whose weights the model has; all unmeasured before the first is complete.
EpochRow final_row(const TrainResult& result) {
  if (result.history.empty()) return {};
  return result.best_epoch > 0 ? result.history[result.best_epoch - 1] : result.history.back();
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * std::uint64_t(usage.ru_maxrss);  // Linux counts in kB
}

Json to_json(const Model& model, const TrainCommand& command, const TrainResult& result) {
  const EpochRow row = final_row(result);
  Json out = {{"model", command.out.string()},
              {"status", to_string(result.status)},
              {"parameters", model.parameters().values.size()},
              {"epochs", result.history.size()},
              {"best_epoch", result.best_epoch > 0 ? Json(result.best_epoch) : Json(nullptr)}};
  for (const Metric& metric : kMetrics) out[metric.name] = number_json(row.*metric.value);
  const double steps = double(result.steps);
  out["seconds"] = result.seconds;
  out["steps"] = result.steps;
  out["seconds_per_step"] = number_json(result.step_seconds / steps);
  out["peak_rss_bytes"] = peak_rss_bytes();
  out["refreshes"] = result.refreshes;
  out["skipped"] = result.skipped;
  return out;
}

}  // namespace

void describe(Model& model, const TrainCommand& command, const TrainData& data,
              const TrainResult& result) {
  const TrainOptions& train = command.train;
  auto& info = model.config().info;
  const auto made = data.generated ? dataset_info(*data.generated) : data.file.info;
  for (const char* key : {"alpha", "generator", "signs", "condition", "shuffle"})
    if (const auto found = made.find(key); found != made.end())
      info[std::string("train.") + key] = found->second;
  if (data.generated) info["train.n"] = to_string(data.generated->n);
  if (data.file.n > 0) info["train.n"] = exact_text(data.file.n);
  if (!data.p().single()) info["train.p"] = to_string(data.p());
  if (command.fresh) info["train.fresh"] = "true";
  info["train.count"] = std::to_string(data.source->count());
  info["train.valid_count"] = std::to_string(data.split.valid.size());
  if (!command.preset.empty()) info["train.preset"] = command.preset;
  info["train.epochs"] = std::to_string(train.epochs);
  info["train.batch"] = std::to_string(train.batch);
  info["train.lr"] = exact_text(train.lr);
  info["train.schedule"] = to_string(train.schedule);
  info["train.loss"] = to_string(train.loss);
  info["train.clip_grad"] = exact_text(train.clip_grad);
  if (result.skipped > 0) info["train.skipped"] = std::to_string(result.skipped);
  info["train.seed"] = std::to_string(train.seed);
  info["train.status"] = to_string(result.status);
  if (result.best_epoch > 0) info["train.best_epoch"] = std::to_string(result.best_epoch);
  const EpochRow row = final_row(result);
  for (const Metric& metric : kMetrics)
    if (!std::isnan(row.*metric.value))
      info[std::string("final.") + metric.name] = exact_text(row.*metric.value);
}

void report(const Model& model, const TrainCommand& command, const TrainResult& result) {
  if (command.json) return print_json(to_json(model, command, result));
  const EpochRow row = final_row(result);
  print_line(command.out.string() + ": " + model.config().model +
             ", p = " + (model.config().p > 0 ? std::to_string(model.config().p) : "any") + ", " +
             std::to_string(model.parameters().values.size()) + " parameters, " +
             std::to_string(result.steps) + " steps in " + seconds_text(result.seconds));
  if (result.skipped > 0)
    print_line("  " + std::to_string(result.skipped) + " batches that were not finite left out");
  std::vector<std::vector<std::string>> lines;
  for (const Metric& metric : kMetrics)
    if (!std::isnan(row.*metric.value))
      lines.push_back({std::string("  ") + metric.name, number_text(row.*metric.value)});
  if (result.best_epoch > 0)
    lines.push_back({"  best epoch", std::to_string(result.best_epoch) + " of " +
                                         std::to_string(result.history.size())});
  print_text(aligned(lines));
}

}  // namespace spodnet::cli
