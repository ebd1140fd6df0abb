#include "spodnet/train/provenance.hpp"

#include <cmath>

#include "spodnet/core/parse.hpp"

namespace spodnet {

EpochRow final_row(const TrainResult& result) {
  if (result.history.empty()) return {};
  return result.best_epoch > 0 ? result.history[result.best_epoch - 1] : result.history.back();
}

void describe_training(const SampleSource& source, std::size_t valid_count,
                       const TrainOptions& options, const TrainResult& result,
                       std::map<std::string, std::string>& info) {
  for (const auto& [key, value] : source.describe()) info["train." + key] = value;
  info["train.count"] = std::to_string(source.count());
  info["train.valid_count"] = std::to_string(valid_count);
  info["train.epochs"] = std::to_string(options.epochs);
  info["train.batch"] = std::to_string(options.batch);
  info["train.lr"] = exact_text(options.lr);
  info["train.schedule"] = to_string(options.schedule);
  info["train.loss"] = options.loss->name();
  info["train.clip_grad"] = exact_text(options.clip_grad);
  if (result.skipped > 0) info["train.skipped"] = std::to_string(result.skipped);
  info["train.seed"] = std::to_string(options.seed);
  info["train.status"] = to_string(result.status);
  if (result.best_epoch > 0) info["train.best_epoch"] = std::to_string(result.best_epoch);
  const EpochRow row = final_row(result);
  for (const HistoryColumn& column : quality_columns())
    if (!std::isnan(row.*column.value))
      info[std::string("final.") + column.name] = exact_text(row.*column.value);
}

}  // namespace spodnet
