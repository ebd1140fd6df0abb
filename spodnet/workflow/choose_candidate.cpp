#include "spodnet/workflow/choose_candidate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/workflow/training_range.hpp"

namespace spodnet {
namespace {

constexpr int kFolds = 5;
constexpr std::size_t kRangeMatrices = 64;

std::size_t synthetic_count(const TrainingPlan& plan) {
  const double affordable = kMostSynthetic / double(plan.n * plan.p);
  return std::size_t(std::clamp(affordable, 2.0, plan.p <= 50 ? 24.0 : plan.p <= 120 ? 8.0 : 4.0));
}

/// The graph given hidden factors where, with them, held-out rows are predicted at most one
/// standard error (of the best) worse than by the best; where it is not, it is only compared with.
std::optional<std::size_t> given_factors(std::vector<Candidate>& candidates) {
  std::optional<std::size_t> given;
  const Candidate* best = nullptr;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Candidate& each = candidates[k];
    if (each.usable() && each.predicts) given = k;
    if (each.usable() && !each.reference && (!best || each.held.mean > best->held.mean))
      best = &each;
  }
  if (!given) return given;
  const double folds = double(best->held.folds.size());
  const double error = folds > 0 ? best->held.sd / std::sqrt(folds) : 0;
  if (candidates[*given].held.mean >= best->held.mean - error) return given;
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
         "chosen, " + analysis.candidates[*given].label +
             ": there are signs of hidden factors, and with them rows are predicted as well as by "
             "the other methods"});
    return *given;
  }
  std::size_t considered = 0;
  for (const Candidate& each : analysis.candidates) considered += !each.reference;
  if (considered == 1) {
    analysis.notes.push_back({AnswerNote::Kind::choice,
                              "taken, " + analysis.candidates[0].label + ": the only candidate"});
    return 0;
  }
  judge_on_synthetic(analysis.candidates, analysis.plan, synthetic_count(analysis.plan),
                     analysis.run.pool);
  const CandidateChoice choice = choose(analysis.candidates);
  analysis.notes.push_back({AnswerNote::Kind::choice, "chosen, " + choice.reason});
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

void warn_if_by_samples(Analysis& analysis, const Candidate& chosen) {
  const WorkingData& working = analysis.working;
  if (working.complete() || !chosen.method->needs_samples()) return;
  if (chosen.estimate.lambda) return;
  if (working.moments.ranks)
    analysis.warn(chosen.label +
                  " goes by the samples: it is fitted to the normal scores of their ranks, not to "
                  "the rank correlations");
  if (!working.moments.kinds.empty())
    analysis.warn(chosen.label +
                  " goes by the samples: it is fitted to scores of levels and ranks, not to the "
                  "correlations of what is behind them");
  if (working.Y.hasNaN())
    analysis.warn(chosen.label +
                  " goes by the samples: missing values are replaced by their expectation first");
}

}  // namespace spodnet
