#include <sys/resource.h>

#include <cmath>

#include <fmt/format.h>

#include "cli/report.hpp"
#include "cli/train_command.hpp"
#include "spodnet/train/provenance.hpp"

namespace spodnet::cli {
namespace {

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
  for (const HistoryColumn& column : quality_columns())
    out[column.name] = number_json(row.*column.value);
  const double steps = double(result.steps);
  out["seconds"] = result.seconds;
  out["steps"] = result.steps;
  out["seconds_per_step"] = number_json(result.step_seconds / steps);
  out["data_seconds"] = result.data_seconds;
  out["peak_rss_bytes"] = peak_rss_bytes();
  out["refreshes"] = result.refreshes;
  if (!command.computed_by.empty()) out["device"] = command.computed_by;
  out["skipped"] = result.skipped;
  return out;
}

}  // namespace

void describe_data(Model& model, const TrainCommand& command, const TrainData& data) {
  auto& info = model.info();
  if (!command.preset.empty()) info["train.preset"] = command.preset;
  if (data.generated) {
    for (const auto& [key, value] : spodnet::describe_data(*data.generated))
      info["train." + key] = value;
    return;
  }
  for (const char* key : {"alpha", "generator", "signs", "condition", "shuffle"})
    if (const auto found = data.file.info.find(key); found != data.file.info.end())
      info[std::string("train.") + key] = found->second;
}

void report(const Model& model, const TrainCommand& command, const TrainResult& result) {
  if (command.json) return print_json(to_json(model, command, result));
  const EpochRow row = final_row(result);
  print_line(command.out.string() + ": " + model.config().model +
             ", p = " + (model.config().p > 0 ? std::to_string(model.config().p) : "any") + ", " +
             std::to_string(model.parameters().values.size()) + " parameters, " +
             std::to_string(result.steps) + " steps in " + seconds_text(result.seconds));
  if (!command.computed_by.empty())
    print_line(fmt::format("  computed by {}; {:.1f} % of the time it waited for data",
                           command.computed_by, 100 * result.data_seconds / result.run_seconds));
  if (result.skipped > 0)
    print_line("  " + std::to_string(result.skipped) + " batches that were not finite left out");
  std::vector<std::vector<std::string>> lines;
  for (const HistoryColumn& column : quality_columns())
    if (!std::isnan(row.*column.value))
      lines.push_back({std::string("  ") + column.name, number_text(row.*column.value)});
  if (result.best_epoch > 0)
    lines.push_back({"  best epoch", std::to_string(result.best_epoch) + " of " +
                                         std::to_string(result.history.size())});
  print_text(aligned(lines));
}

}  // namespace spodnet::cli
