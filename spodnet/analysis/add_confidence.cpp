#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/analysis/analysis_steps.hpp"
#include "spodnet/analysis/reliability.hpp"

namespace spodnet {
namespace {

ReliabilityOptions reliability_options(const Analysis& analysis, double density) {
  const TrainingPlan& plan = analysis.plan;
  const double affordable = kMostSynthetic / double(3 * plan.n * plan.p);
  const double wanted = plan.p <= 50 ? 24 : plan.p <= 120 ? 12 : 6;
  ReliabilityOptions options;
  options.data_sets = std::size_t(std::clamp(affordable, 2.0, wanted));
  options.resamples = std::min<std::size_t>(analysis.options.resamples, 100);
  options.density = density;
  options.seed = analysis.options.seed + 1;
  options.stop = analysis.options.stop;
  options.progress = [&analysis](double fraction) {
    analysis.progress("checking shares on synthetic data", fraction);
  };
  return options;
}

struct Counted {
  std::size_t edges = 0, wrong = 0;
};

Counted count_from(const Reliability& reliability, double share) {
  Counted out;
  for (const Reliability::Observation& each : reliability.observations)
    if (each.share >= share) ++out.edges, out.wrong += !each.is_true;
  return out;
}

std::string checked_on(const Reliability& reliability, const TrainingPlan& plan) {
  return fmt::format(
      "{} synthetic data sets of {} samples of {} variables with graphs about as "
      "dense as this one, by the same method and resampling",
      reliability.data_sets, plan.n, plan.p);
}

void mark_stable(const Analysis& analysis, const Reliability& reliability, GraphAnswer& answer) {
  const double q = *analysis.options.stable;
  std::vector<double> shares;
  for (const AnswerEdge& edge : answer.edges) shares.push_back(edge.confidence->share);
  const double threshold = stable_threshold(reliability, shares, q);
  std::size_t stable = 0;
  for (AnswerEdge& edge : answer.edges) {
    edge.confidence->stable = edge.confidence->share >= threshold;
    stable += edge.confidence->stable;
  }
  answer.stable_q = q;
  const std::string on = checked_on(reliability, analysis.plan);
  if (stable == 0) {
    answer.stable_check = fmt::format(
        "no edge: even at the largest shares more than {:.0f} % were false on {}", 100 * q, on);
    return;
  }
  const Counted counted = count_from(reliability, threshold);
  answer.stable_check = fmt::format(
      "{} of {} edges, those in at least {:.0f} % of the resamples: on {}, {} of {} edges with "
      "such shares were false ({:.0f} %)",
      stable, shares.size(), 100 * threshold, on, counted.wrong, counted.edges,
      counted.edges ? 100.0 * double(counted.wrong) / double(counted.edges) : 0.0);
}

void note_reliability(Analysis& analysis, const Reliability& reliability) {
  const Counted sure = count_from(reliability, 0.9);
  if (sure.edges == 0) return;
  analysis.note(
      fmt::format("of edges in at least 90 % of the resamples {:.0f} % were true ({} of {}) "
                  "on {}",
                  100.0 * double(sure.edges - sure.wrong) / double(sure.edges),
                  sure.edges - sure.wrong, sure.edges, checked_on(reliability, analysis.plan)));
}

}  // namespace

void add_confidence(Analysis& analysis, const Contender& chosen, GraphAnswer& answer) {
  std::vector<EdgePlace> edges;
  for (const AnswerEdge& edge : answer.edges)
    edges.push_back({Eigen::Index(edge.i), Eigen::Index(edge.j)});
  const auto refit = [&](const Estimate& estimate) {
    return resampling_method(chosen.method, estimate);
  };
  const BootstrapResult result =
      bootstrap(analysis.working, *refit(chosen.estimate), edges, answer.partial,
                {.resamples = analysis.options.resamples,
                 .seed = analysis.options.seed,
                 .stop = analysis.options.stop,
                 .progress = [&](double f) { analysis.progress("resampling", f); }},
                analysis.pool);
  analysis.interrupted = result.interrupted;
  if (analysis.interrupted) return;
  for (std::size_t e = 0; e < edges.size(); ++e) answer.edges[e].confidence = result.edges[e];
  answer.resamples = analysis.options.resamples;
  if (result.failures > 0)
    analysis.warn(fmt::format("in {} of {} resamples the estimate had numerical trouble",
                              result.failures, analysis.options.resamples));
  if (!analysis.options.stable && analysis.data.p() > kAutoVariables) return;
  const Reliability reliability =
      measure_reliability(analysis.plan, *chosen.method, refit,
                          reliability_options(analysis, answer.certificate.density), analysis.pool);
  analysis.interrupted = analysis.options.stop && analysis.options.stop->load();
  note_reliability(analysis, reliability);
  if (analysis.options.stable) mark_stable(analysis, reliability, answer);
}

}  // namespace spodnet
