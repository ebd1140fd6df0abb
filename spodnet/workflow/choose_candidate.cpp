#include "spodnet/workflow/choose_candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/method_words.hpp"
#include "spodnet/workflow/training_range.hpp"

namespace spodnet {
namespace {

constexpr int kFolds = 5;
constexpr std::size_t kRangeMatrices = 64;

std::size_t synthetic_count(const TrainingPlan& plan) {
  const double affordable = kMostSynthetic / double(plan.n * plan.p);
  return std::size_t(std::clamp(affordable, 2.0, plan.p <= 50 ? 24.0 : plan.p <= 120 ? 8.0 : 4.0));
}

/// A candidate, and how far its held-out likelihood per row is below the best.
struct GivenFactors {
  std::size_t index = 0;
  double behind = 0;
};

std::string words(const GivenFactors& given) {
  const std::string start = "there are signs of hidden factors, and with them held-out rows are ";
  if (given.behind <= 0) return start + "predicted best";
  return start + fmt::format(
                     "predicted within one standard error of the best ({:.2g} lower per "
                     "row)",
                     given.behind);
}

/// The graph given hidden factors where, with them, held-out rows are predicted at most one
/// standard error (of the best) worse than by the best; where it is not, it is only compared with.
std::optional<GivenFactors> given_factors(std::vector<Candidate>& candidates) {
  std::optional<std::size_t> given;
  const Candidate* best = nullptr;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Candidate& each = candidates[k];
    if (each.usable() && each.predicts) given = k;
    if (each.usable() && !each.reference && (!best || each.held.mean > best->held.mean))
      best = &each;
  }
  if (!given) return std::nullopt;
  const double folds = double(best->held.folds.size());
  const double error = folds > 0 ? best->held.sd / std::sqrt(folds) : 0;
  const double behind = best->held.mean - candidates[*given].held.mean;
  if (behind <= error) return GivenFactors{*given, behind};
  candidates[*given].reference = true;
  return std::nullopt;
}

}  // namespace

std::size_t choose_candidate(Analysis& analysis) {
  const std::size_t count = analysis.candidates.size();
  const PrepareRows prepare = prepared_once(analysis.working);
  for (std::size_t k = 0; k < count; ++k) {
    analysis.progress("comparing methods", double(k) / double(count));
    judge(analysis.candidates[k], analysis.working, kFolds,
          {analysis.options.seed,
           !analysis.options.folds_in_order && analysis.working.blocks.empty()},
          prepare, analysis.run.pool);
  }
  if (analysis.options.method != "auto") {
    if (!analysis.candidates[0].usable()) throw Error(analysis.candidates[0].note);
    return 0;
  }
  if (const auto given = given_factors(analysis.candidates)) {
    analysis.notes.push_back(
        {AnswerNote::Kind::choice,
         method_words(analysis.candidates[given->index].label) + ": " + words(*given)});
    return given->index;
  }
  std::size_t considered = 0;
  for (const Candidate& each : analysis.candidates) considered += !each.reference;
  if (considered == 1) {
    analysis.notes.push_back({AnswerNote::Kind::choice,
                              method_words(analysis.candidates[0].label) + ": the only candidate"});
    return 0;
  }
  judge_on_synthetic(analysis.candidates, analysis.plan, synthetic_count(analysis.plan),
                     analysis.run.pool);
  const CandidateChoice choice = choose(analysis.candidates);
  analysis.notes.push_back({AnswerNote::Kind::choice, choice.reason});
  return choice.index;
}

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

}  // namespace spodnet
