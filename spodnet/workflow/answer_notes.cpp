#include "spodnet/workflow/answer_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spodnet/estimators/method_words.hpp"
#include "spodnet/workflow/training_range.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kRangeMatrices = 64;

}  // namespace

void warn_if_beyond_training(Analysis& analysis, const Candidate& chosen) {
  if (!analysis.model || !chosen.learned) return;
  if (!analysis.trained_on)
    return analysis.warn(
        "the model file does not say what it was trained on: whether these data are like it cannot "
        "be checked");
  Matrix S = analysis.working.all.S;
  if (analysis.options.method == "auto" && !analysis.options.standardize)
    S = S / S.diagonal().mean();  // the learned model sees its own scale
  const ShapeRange range =
      training_range(*analysis.model, *analysis.trained_on, kRangeMatrices, analysis.run.pool);
  ShapeNumbers numbers = shape_numbers(S, chosen.estimate.Theta);
  if (analysis.options.method == "auto")
    numbers.scale = std::clamp(numbers.scale, range.low.scale, range.high.scale);
  for (const DataNote& note :
       range_warnings(numbers, analysis.working.all.n, range, *analysis.trained_on))
    analysis.warn(note.text, note.advice);
}

void warn_if_contradicted(Analysis& analysis, const Candidate& chosen) {
  const std::string& message = chosen.estimate.message;
  if (message.empty() || !is_sound(chosen.estimate.status)) return;
  const std::size_t name = message.find(": ");
  analysis.warn(message.substr(name == message.npos ? 0 : name + 2));
}

void warn_if_by_samples(Analysis& analysis, const Candidate& chosen) {
  const WorkingData& working = analysis.working;
  if (working.complete() || !chosen.method->needs_samples()) return;
  if (chosen.estimate.lambda) return;
  if (working.moments.ranks)
    analysis.warn(method_words(chosen.label) +
                  " needs the rows themselves: it was fitted to their ranks' normal scores, not to "
                  "the rank correlations");
  if (!working.moments.kinds.empty())
    analysis.warn(method_words(chosen.label) +
                  " needs the rows themselves: it was fitted to scores of the levels, not to the "
                  "correlations of the variables behind them");
  if (working.Y.hasNaN())
    analysis.warn(method_words(chosen.label) +
                  " needs complete rows: missing values were replaced by their expectation");
}

void add_data_notes(const Prepared& data, bool standardize, Answer& answer) {
  for (const DataNote& note : data.notes)
    answer.notes.push_back({note.warning ? AnswerNote::Kind::warning : AnswerNote::Kind::done,
                            note.text, note.advice, note.value});
  const bool ranks = data.options.ranks.has_value();
  answer.notes.push_back(
      {AnswerNote::Kind::done,
       fmt::format("estimated from {}; precision and covariance are given {}",
                   standardize ? "correlations, so that units do not matter" : "covariances",
                   ranks ? "in units whose standard deviation is 1.48 median absolute deviations, "
                           "which outliers do not move"
                         : "in the data's units")});
  if ((ranks || !data.kinds.empty()) && data.X.size() > 0)
    answer.notes.push_back(
        {AnswerNote::Kind::done,
         ranks ? "held-out likelihoods are those of the ranks' normal scores: they compare methods "
                 "here, not with an analysis without ranks"
               : "held-out likelihoods are those of the scores of levels and ranks: they compare "
                 "methods here, not with an analysis of the values as they are"});
}

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
