#include "spodnet/workflow/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/workflow/add_candidates.hpp"
#include "spodnet/workflow/add_confidence.hpp"
#include "spodnet/workflow/answer_notes.hpp"
#include "spodnet/workflow/choose_candidate.hpp"
#include "spodnet/workflow/graph_answer.hpp"
#include "spodnet/workflow/hidden_factor.hpp"

namespace spodnet {
namespace {

void check(const Prepared& data, const AnalysisOptions& options) {
  if (options.resamples > 0 && data.X.size() == 0)
    throw Error("a bootstrap resamples rows, a covariance has none: give the samples");
  if (options.stable && options.resamples == 0)
    throw AdvisedError("stable edges are found by resamples: ask for some", Advice::resamples);
  if (options.stable && !(*options.stable > 0 && *options.stable < 1))
    throw Error(fmt::format("stable at {}: the share of false edges lies between 0 and 1",
                            *options.stable));
}

}  // namespace

void refuse_hopeless(const Prepared& data, const AnalysisOptions& options) {
  const double p = double(data.p()), n = data.moments.n;
  if (options.method != "auto" || data.p() < kHopelessVariables || n * double(kHopelessRatio) >= p)
    return;
  // The largest of so many correlations of independent variables, by Fisher's transformation.
  const double chance = std::tanh(std::sqrt(2 * std::log(p * (p - 1) / 2) / std::max(1.0, n - 3)));
  throw AdvisedError(
      fmt::format(
          "{:.0f} samples of {} variables: correlations below {:.2f} cannot be distinguished from "
          "chance among so many pairs, and the analysis takes hours. Take the variables "
          "that matter (some hundred), or name a method to do it all the same, or, where "
          "samples stand in columns, transpose the table",
          n, data.p(), chance),
      Advice::transpose);
}

Analysis begin_analysis(const Prepared& data, const AnalysisOptions& options,
                        const RunContext& run) {
  const auto n = std::size_t(std::max(2.0, std::round(data.moments.n)));
  Analysis analysis{
      .data = data,
      .options = options,
      .run = run,
      .working = working_data(data, options.standardize, {options.seed, !options.folds_in_order}),
      .plan = plan_for(data.p(), n, options.standardize),
      .model = {},
      .trained_on = {},
      .candidates = {},
      .notes = {}};
  if (auto constraints = constraints_for(data, options.constraints))
    analysis.constraints = std::make_shared<const Constraints>(std::move(*constraints));
  analysis.working.constraints = analysis.constraints.get();
  return analysis;
}

Answer analyse(const Prepared& data, const AnalysisOptions& options, const RunContext& run) {
  check(data, options);
  refuse_hopeless(data, options);
  const Stopwatch watch;
  Analysis analysis = begin_analysis(data, options, run);
  const auto interrupted = [] {
    Answer none;
    none.status = Status::interrupted;
    none.message = "interrupted";
    return none;
  };
  add_candidates(analysis);
  if (analysis.interrupted) return interrupted();
  const std::size_t index = choose_candidate(analysis);
  const Candidate& chosen = analysis.candidates[index];
  warn_if_beyond_training(analysis, chosen);
  warn_if_contradicted(analysis, chosen);
  warn_if_by_samples(analysis, chosen);
  tell_of_hidden_factor(analysis, chosen);
  Answer answer = answer_of(chosen.estimate, data, analysis.working);
  answer.method = chosen.label;
  find_communities(answer, options.standardize, options.seed);
  add_nodes(analysis, chosen, answer);
  if (options.resamples > 0) add_confidence(analysis, chosen, answer);
  if (analysis.interrupted) return interrupted();
  for (std::size_t k = 0; k < analysis.candidates.size(); ++k)
    answer.candidates.push_back(answer_candidate(analysis.candidates[k], k == index));
  add_data_notes(data, options.standardize, answer);
  answer.notes.insert(answer.notes.end(), analysis.notes.begin(), analysis.notes.end());
  answer.settings = settings_record(data, options);
  answer.status = chosen.estimate.status;
  answer.message = chosen.estimate.message;
  answer.seconds = watch.seconds();
  return answer;
}

}  // namespace spodnet
