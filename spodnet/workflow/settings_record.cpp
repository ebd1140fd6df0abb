#include "spodnet/workflow/settings_record.hpp"

#include <fmt/format.h>

namespace spodnet {
namespace {

using SettingsRecord = std::vector<std::pair<std::string, std::string>>;

std::string input_text(const Prepared& data) {
  return data.X.size() > 0 ? "samples" : fmt::format("covariance of {} samples", data.moments.n);
}

std::string ranks_text(const std::optional<RankCorrelation>& ranks) {
  return !ranks ? "no" : *ranks == RankCorrelation::kendall ? "kendall" : "spearman";
}

}  // namespace

SettingsRecord settings_record(const Prepared& data, const AnalysisOptions& options) {
  SettingsRecord record = {{"method", options.method},
                           {"input", input_text(data)},
                           {"standardised", options.standardize ? "yes" : "no"}};
  const auto add = [&](const std::string& name, const std::string& value) {
    record.emplace_back(name, value);
  };
  if (data.X.size() > 0) {
    add("missing values", to_string(data.options.missing));
    add("robust", ranks_text(data.options.ranks));
    add("kind of columns", to_string(data.options.kind));
    if (!data.parts.empty())
      add("transform", fmt::format("centred log-ratios of {} parts", data.parts.size()));
  }
  add("bootstrap", options.settle ? "auto" : std::to_string(options.resamples));
  add("communities",
      options.standardize ? "Louvain on |partial correlations|" : "Louvain on |Theta|");
  add("seed", std::to_string(options.seed));
  if (options.folds_in_order) add("folds", "of consecutive rows");
  for (const auto& [column, role] : data.rows.columns) add(role, column);
  if (data.rows.block_length > 1) add("blocks", std::to_string(data.rows.block_length) + " rows");
  if (options.stable) add("stable", fmt::format("{:g}", *options.stable));
  return record;
}

}  // namespace spodnet
