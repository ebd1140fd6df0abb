#include "spodnet/analysis/contenders.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/support.hpp"

namespace spodnet {
namespace {

/// The candidates that may be taken.
std::vector<std::size_t> eligible(const std::vector<Contender>& contenders) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < contenders.size(); ++k)
    if (contenders[k].usable() && !contenders[k].reference) out.push_back(k);
  if (!out.empty()) return out;
  for (const Contender& each : contenders)
    if (!each.note.empty()) throw Error(each.label + ": " + each.note);
  throw Error("no method gave an estimate of these data");
}

/// Those within one standard error of the best.
std::vector<std::size_t> not_worse(const std::vector<Contender>& contenders,
                                   const std::vector<std::size_t>& from, std::size_t best) {
  const HeldOut& top = contenders[best].held;
  const double error = top.sd / std::sqrt(double(top.folds.size()));
  std::vector<std::size_t> out;
  for (const std::size_t k : from)
    if (contenders[k].held.mean >= top.mean - error) out.push_back(k);
  return out;
}

template <class Score>
std::size_t smallest(const std::vector<std::size_t>& from, Score score) {
  std::size_t best = from.front();
  for (const std::size_t k : from)
    if (score(k) < score(best)) best = k;
  return best;
}

}  // namespace

void judge(Contender& contender, const WorkingData& data, int folds, std::uint64_t seed,
           ThreadPool& pool) {
  const Stopwatch watch;
  try {
    contender.estimate = contender.method->estimate(problem_of(data, data.all, &pool));
    contender.seconds = watch.seconds();
    if (!data.has_samples() || data.Y.rows() < 2 * folds) return;
    contender.held =
        held_out_likelihood(*contender.method, data.Y,
                            {.folds = folds,
                             .seed = seed,
                             .constraints = data.constraints,
                             .prepare = [&](const Matrix& rows) { return part_of(data, rows); },
                             .pool = &pool});
  } catch (const Error& error) {
    contender.note = error.what();
  }
}

void judge_on_synthetic(std::vector<Contender>& contenders, const TrainingPlan& plan,
                        std::size_t count, ThreadPool& pool) {
  TrainingPlan fresh = plan;
  fresh.seed = plan.seed + 3'000'000;
  const DataSet data = plan_data(fresh, 0, count, true, pool);
  for (Contender& contender : contenders) {
    if (!contender.usable()) continue;
    std::vector<double> errors(count);
    try {
      pool.run(count, [&](std::size_t k, int) {
        const Matrix X = data.X[k];
        const Estimate estimate = contender.method->estimate({data.S[k], data.n, &X});
        errors[k] = nmse(estimate.Theta, data.Theta_true[k]);
      });
    } catch (const Error& error) {
      contender.note = error.what();
      continue;
    }
    double sum = 0;
    for (const double error : errors) sum += error;
    contender.nmse = sum / double(count);
  }
}

ContenderChoice choose(const std::vector<Contender>& contenders) {
  std::vector<std::size_t> from = eligible(contenders);
  const auto& label = [&](std::size_t k) -> const std::string& { return contenders[k].label; };
  if (from.size() == 1) return {from[0], label(from[0]) + ": the only one that could be used"};
  const bool folds = !contenders[from[0]].held.folds.empty();
  const auto error = [&](std::size_t k) {
    return contenders[k].nmse.value_or(std::numeric_limits<double>::infinity());
  };
  if (!folds) {
    const std::size_t k = smallest(from, error);
    return {k, label(k) +
                   ": the smallest error on synthetic data of this shape (there are "
                   "no rows, or too few, to hold any out)"};
  }
  const std::size_t best = smallest(from, [&](std::size_t k) { return -contenders[k].held.mean; });
  from = not_worse(contenders, from, best);
  const std::size_t k = smallest(from, error);
  if (from.size() == 1)
    return {k, label(k) + ": the best held-out likelihood, by more than one standard error"};
  return {k, fmt::format("{}: the smallest error on synthetic data of this shape among those whose "
                         "held-out likelihood is within one standard error of the best",
                         label(k))};
}

AnswerCandidate to_candidate(const Contender& contender, bool chosen) {
  const bool judged = contender.usable() && !contender.held.folds.empty();
  AnswerCandidate out;
  out.method = contender.label;
  out.held_out = judged ? contender.held.mean : std::numeric_limits<double>::quiet_NaN();
  out.spread = judged ? contender.held.sd : std::numeric_limits<double>::quiet_NaN();
  out.nmse = contender.nmse;
  out.edges = edges_of(contender.estimate.Theta).size();
  out.seconds = contender.seconds;
  out.chosen = chosen;
  out.note = contender.note;
  const auto p = std::size_t(contender.estimate.Theta.rows());
  const bool complete = out.edges == p * (p - 1) / 2;
  if (out.note.empty() && contender.reference)
    out.note = complete ? "for reference: it has no zeros" : "for reference";
  return out;
}

}  // namespace spodnet
