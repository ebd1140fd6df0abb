#include "spodnet/analysis/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/analysis/analysis_steps.hpp"
#include "spodnet/analysis/answer_of.hpp"
#include "spodnet/analysis/outside.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"

namespace spodnet {
namespace {

constexpr int kFolds = 5;
constexpr std::size_t kRangeMatrices = 64;

void check(const PreparedData& data, const AnalysisOptions& options) {
  if (options.resamples > 0 && data.X.size() == 0)
    throw Error("--bootstrap: resamples rows, a covariance has none: give the samples");
  if (options.stable && options.resamples == 0)
    throw Error("--stable: goes by the bootstrap: add --bootstrap 200");
  if (options.stable && !(*options.stable > 0 && *options.stable < 1))
    throw Error(
        fmt::format("--stable {}: the share of false edges lies between 0 and 1", *options.stable));
}

void add_data_notes(const PreparedData& data, bool standardize, GraphAnswer& answer) {
  for (const DataNote& note : data.notes)
    answer.notes.push_back(
        {note.warning ? AnswerNote::Kind::warning : AnswerNote::Kind::done, note.text});
  answer.notes.push_back(
      {AnswerNote::Kind::done,
       standardize ? "estimated from correlations, so that units do not matter; precision and "
                     "covariance are given in the data's units"
                   : "estimated from covariances in the data's units, not standardised"});
}

/// A method that goes by the samples sees them with their ranks' scores and filled gaps; only where
/// it says a lambda is it fitted to the covariance in the end (fitted_to_given_covariance).
void warn_if_by_samples(Analysis& analysis, const Contender& chosen) {
  const WorkingData& working = analysis.working;
  if (working.complete() || !chosen.method->needs_samples()) return;
  for (const auto& [name, value] : chosen.estimate.details)
    if (name == "lambda") return;
  if (working.moments.ranks)
    analysis.warn(chosen.label +
                  " goes by the samples: it is fitted to the normal scores of their ranks, not to "
                  "the rank correlations");
  if (working.Y.hasNaN())
    analysis.warn(chosen.label +
                  " goes by the samples: missing values are replaced by their expectation first");
}

std::size_t synthetic_count(const TrainingPlan& plan) {
  const double affordable = kMostSynthetic / double(plan.n * plan.p);
  return std::size_t(std::clamp(affordable, 2.0, plan.p <= 50 ? 24.0 : plan.p <= 120 ? 8.0 : 4.0));
}

}  // namespace

Analysis begin_analysis(const PreparedData& data, const AnalysisOptions& options,
                        const ModelRegistry& models, ThreadPool& pool) {
  const auto n = std::size_t(std::max(2.0, std::round(data.moments.n)));
  Analysis analysis{.data = data,
                    .options = options,
                    .models = models,
                    .pool = pool,
                    .working = working_data(data, options.standardize, options.seed),
                    .plan = plan_for(data.p(), n, options.standardize),
                    .model = {},
                    .trained_on = {},
                    .contenders = {},
                    .notes = {}};
  analysis.working.constraints = options.constraints;
  return analysis;
}

std::size_t choose_contender(Analysis& analysis) {
  const std::size_t count = analysis.contenders.size();
  for (std::size_t k = 0; k < count; ++k) {
    analysis.progress("comparing methods", double(k) / double(count));
    judge(analysis.contenders[k], analysis.working, kFolds, analysis.options.seed, analysis.pool);
  }
  if (analysis.options.method != "auto") {
    if (!analysis.contenders[0].usable()) throw Error(analysis.contenders[0].note);
    return 0;
  }
  std::size_t considered = 0;
  for (const Contender& each : analysis.contenders) considered += !each.reference;
  if (considered == 1) {
    analysis.notes.push_back({AnswerNote::Kind::choice,
                              "taken, " + analysis.contenders[0].label + ": the only candidate"});
    return 0;
  }
  judge_on_synthetic(analysis.contenders, analysis.plan, synthetic_count(analysis.plan),
                     analysis.pool);
  const ContenderChoice choice = choose(analysis.contenders);
  analysis.notes.push_back({AnswerNote::Kind::choice, "chosen, " + choice.reason});
  return choice.index;
}

void warn_if_outside(Analysis& analysis, const Contender& chosen) {
  if (!analysis.model || !chosen.learned) return;
  if (!analysis.trained_on)
    return analysis.warn(
        "the model file does not say what it was trained on: whether these data are like it cannot "
        "be checked");
  Matrix S = analysis.working.all.S;
  if (analysis.options.method == "auto" && !analysis.options.standardize)
    S = S / S.diagonal().mean();  // the learned model sees its own scale
  const ShapeRange range =
      trained_range(*analysis.model, *analysis.trained_on, kRangeMatrices, analysis.pool);
  ShapeNumbers numbers = shape_numbers(S, chosen.estimate.Theta);
  if (analysis.options.method == "auto")
    numbers.scale = std::clamp(numbers.scale, range.low.scale, range.high.scale);
  for (std::string& text :
       outside_warnings(numbers, analysis.working.all.n, range, *analysis.trained_on))
    analysis.warn(std::move(text));
}

AnalysisResult analyse(const PreparedData& data, const AnalysisOptions& options,
                       const ModelRegistry& models, ThreadPool& pool) {
  check(data, options);
  const Stopwatch watch;
  Analysis analysis = begin_analysis(data, options, models, pool);
  AnalysisResult result;
  const auto interrupted = [&] {
    result.status = Status::interrupted;
    result.message = "interrupted";
    return result;
  };
  add_contenders(analysis);
  if (analysis.interrupted) return interrupted();
  const std::size_t index = choose_contender(analysis);
  const Contender& chosen = analysis.contenders[index];
  warn_if_outside(analysis, chosen);
  warn_if_by_samples(analysis, chosen);
  GraphAnswer& answer = result.answer = answer_of(chosen.estimate, data, analysis.working);
  answer.method = chosen.label;
  find_communities(answer, options.standardize, options.seed);
  if (options.resamples > 0) add_confidence(analysis, chosen, answer);
  if (analysis.interrupted) return interrupted();
  for (std::size_t k = 0; k < analysis.contenders.size(); ++k)
    answer.candidates.push_back(to_candidate(analysis.contenders[k], k == index));
  add_data_notes(data, options.standardize, answer);
  answer.notes.insert(answer.notes.end(), analysis.notes.begin(), analysis.notes.end());
  result.status = chosen.estimate.status;
  result.message = chosen.estimate.message;
  answer.seconds = watch.seconds();
  return result;
}

}  // namespace spodnet
