#include "spodnet/workflow/choose_candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/method_words.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet {
namespace {

/// The candidates that may be taken.
std::vector<std::size_t> eligible(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (candidates[k].usable() && !candidates[k].reference) out.push_back(k);
  if (!out.empty()) return out;
  for (const Candidate& each : candidates)
    if (!each.note.empty()) throw Error(each.label + ": " + each.note);
  throw Error("no method gave an estimate of these data");
}

/// Those within one standard error of the best.
std::vector<std::size_t> not_worse(const std::vector<Candidate>& candidates,
                                   const std::vector<std::size_t>& from, std::size_t best) {
  const HeldOut& top = candidates[best].held;
  const double error = top.sd / std::sqrt(double(top.folds.size()));
  std::vector<std::size_t> out;
  for (const std::size_t k : from)
    if (candidates[k].held.mean >= top.mean - error) out.push_back(k);
  return out;
}

std::vector<Matrix> matrices(const MatrixBatch& batch) {
  std::vector<Matrix> out;
  for (std::size_t k = 0; k < batch.count; ++k) out.push_back(batch[k]);
  return out;
}

constexpr double kDecisive = 10;  // a difference of BICs that leaves no doubt

/// n (tr S Theta - log det Theta) + E log n + 2 E log p: gamma = 1/2.
double extended_bic(const Matrix& Theta, const Matrix& S, double n) {
  const double p = double(Theta.rows()), edges = double(count_edges(Theta));
  const double fit = -2 * log_likelihood(S, Theta) - p * std::log(2 * std::numbers::pi);
  return n * fit + edges * (std::log(std::max(n, 2.0)) + 2 * std::log(p));
}

template <class Score>
std::size_t smallest(const std::vector<std::size_t>& from, Score score) {
  std::size_t best = from.front();
  for (const std::size_t k : from)
    if (score(k) < score(best)) best = k;
  return best;
}

}  // namespace

PrepareRows prepared_once(const WorkingData& data) {
  struct Made {
    std::mutex mutex;
    std::map<RowList, TrainingPart> parts;
  };
  return [&data, made = std::make_shared<Made>()](const RowList& rows) {
    {
      const std::lock_guard lock(made->mutex);
      if (const auto found = made->parts.find(rows); found != made->parts.end())
        return found->second;
    }
    TrainingPart part = part_of(data, rows);
    const std::lock_guard lock(made->mutex);
    return made->parts.emplace(rows, std::move(part)).first->second;
  };
}

void judge(Candidate& candidate, const WorkingData& data, int folds, RowOrder order,
           const PrepareRows& prepare, ThreadPool& pool) {
  try {
    if (candidate.estimate.Theta.size() == 0) {
      const Stopwatch watch;
      candidate.estimate = candidate.method->estimate(problem_of(data, data.all, &pool));
      candidate.seconds = watch.seconds();
    }
    candidate.ebic = extended_bic(candidate.estimate.Theta, data.all.S, data.all.n);
    if (!data.has_samples() || data.Y.rows() < 2 * folds) return;
    candidate.held =
        held_out_likelihood(*(candidate.predicts ? candidate.predicts : candidate.method), data.Y,
                            {.folds = folds,
                             .seed = order.seed,
                             .shuffle = order.shuffled,
                             .constraints = data.constraints,
                             .prepare = prepare,
                             .pool = &pool});
  } catch (const Error& error) {
    candidate.note = error.what();
  }
}

void judge_on_synthetic(std::vector<Candidate>& candidates, const TrainingPlan& plan,
                        std::size_t count, ThreadPool& pool) {
  TrainingPlan fresh = plan;
  fresh.seed = plan.seed + 3'000'000;
  const DataSet data = plan_data(fresh, 0, count, true, pool);
  const std::vector<Matrix> X = matrices(data.X);
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < count; ++k) problems.push_back({data.S[k], data.n, &X[k]});
  for (Candidate& candidate : candidates) {
    if (!candidate.usable()) continue;
    double sum = 0;
    try {
      const std::vector<Estimate> estimates = candidate.method->estimate_all(problems, &pool);
      for (std::size_t k = 0; k < count; ++k) sum += nmse(estimates[k].Theta, data.Theta_true[k]);
    } catch (const Error& error) {
      candidate.note = error.what();
      continue;
    }
    candidate.nmse = sum / double(count);
  }
}

CandidateChoice choose(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> from = eligible(candidates);
  const auto label = [&](std::size_t k) { return method_words(candidates[k].label); };
  if (from.size() == 1) return {from[0], label(from[0]) + ": the only one that could be used"};
  const bool folds = !candidates[from[0]].held.folds.empty();
  const auto error = [&](std::size_t k) {
    return candidates[k].nmse.value_or(std::numeric_limits<double>::infinity());
  };
  if (!folds) {
    const auto ebic = [&](std::size_t k) { return candidates[k].ebic; };
    const double least = ebic(smallest(from, ebic));
    std::erase_if(from, [&](std::size_t k) { return !(ebic(k) <= least + kDecisive); });
    if (from.empty()) from = eligible(candidates);
    const std::size_t k = smallest(from, error);
    return {k, label(k) +
                   ": the smallest error on synthetic data of this shape among those that explain "
                   "the covariance with so few edges (extended BIC; there are no rows, or too few, "
                   "to hold any out)"};
  }
  const std::size_t best = smallest(from, [&](std::size_t k) { return -candidates[k].held.mean; });
  from = not_worse(candidates, from, best);
  const std::size_t k = smallest(from, error);
  if (from.size() == 1)
    return {k, label(k) + ": the best held-out likelihood, by more than one standard error"};
  return {k, fmt::format("{}: the smallest error on synthetic data of this shape among those whose "
                         "held-out likelihood is within one standard error of the best",
                         label(k))};
}

AnswerCandidate answer_candidate(const Candidate& candidate, bool chosen) {
  const bool judged = candidate.usable() && !candidate.held.folds.empty();
  AnswerCandidate out;
  out.method = candidate.label;
  out.held_out = judged ? candidate.held.mean : std::numeric_limits<double>::quiet_NaN();
  out.spread = judged ? candidate.held.sd : std::numeric_limits<double>::quiet_NaN();
  out.nmse = candidate.nmse;
  out.edges = count_edges(candidate.estimate.Theta);
  out.seconds = candidate.seconds;
  out.chosen = chosen;
  out.note = candidate.note;
  const auto p = std::size_t(candidate.estimate.Theta.rows());
  const bool complete = out.edges == p * (p - 1) / 2;
  if (out.note.empty() && candidate.reference)
    out.note = complete ? "for reference: it has no zeros" : "for reference";
  return out;
}

namespace {

constexpr int kFolds = 5;

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

}  // namespace spodnet
