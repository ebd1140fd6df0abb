#include "spodnet/workflow/add_confidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/workflow/add_nodes.hpp"
#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/hidden_factor.hpp"
#include "spodnet/workflow/reliability.hpp"
#include "spodnet/workflow/stable_edges.hpp"

namespace spodnet {
namespace {

ReliabilityOptions reliability_options(const Analysis& analysis, const Candidate& chosen,
                                       double density) {
  const TrainingPlan& plan = analysis.plan;
  ReliabilityOptions options;
  options.margins = margins_of(analysis);
  const double affordable = kMostSynthetic / double(3 * options.margins.rows * plan.p);
  // Larger graphs have more edges each: 8 of 100 variables have some thousand.
  const double wanted = plan.p <= 50 ? 24 : plan.p <= 80 ? 12 : plan.p <= 180 ? 8 : 4;
  options.data_sets = std::size_t(std::clamp(affordable, 2.0, wanted));
  options.resamples = std::min<std::size_t>(analysis.options.resamples, 100);
  options.density = density;
  options.loadings = hidden_loadings(chosen, analysis.working.all.S);
  options.seed = analysis.options.seed + 1;
  options.stop = analysis.run.stop;
  options.group = analysis.run.group;
  options.progress = [&analysis](double fraction) {
    analysis.progress("checking shares on synthetic data", fraction);
  };
  return options;
}

struct Counted {
  std::size_t edges = 0, wrong = 0;
};

Counted count_from(const Reliability& reliability, double support) {
  Counted out;
  for (const Reliability::Observation& each : reliability.observations)
    if (each.support >= support) ++out.edges, out.wrong += !each.is_true;
  return out;
}

std::string checked_on(const Reliability& reliability, const TrainingPlan& plan) {
  return fmt::format(
      "{} synthetic data sets of {} samples of {} variables with graphs about as "
      "dense as this one{}{}, by the same method and resampling",
      reliability.data_sets, reliability.rows, plan.p,
      reliability.hidden ? " and hidden factors like its own" : "",
      reliability.margins ? " and values like its own" : "");
}

std::string support_text(double support) {
  if (support <= 1) return fmt::format("in at least {:.0f} % of the resamples", 100 * support);
  return fmt::format("in all resamples, with a size of at least {:.1f} times its spread there",
                     support - 1);
}

/// Why sure edges are not stable after all.
std::string fallen_text(const StableEdges& found) {
  if (found.fallen == 0) return "";
  const std::size_t left = found.sure - found.fallen;
  return fmt::format(
      "{} edge{} hold{} even if up to {} unmeasured common causes are allowed for; {} other{} may "
      "be due to such causes",
      left, left == 1 ? "" : "s", left == 1 ? "s" : "", kMoreFactors, found.fallen,
      found.fallen == 1 ? "" : "s");
}

std::string doubtful_text(const StableEdges& found) {
  if (found.doubtful == 0) return "";
  return fmt::format("; {} edge{} between variables that these data cannot tell apart {} left out",
                     found.doubtful, found.doubtful == 1 ? "" : "s",
                     found.doubtful == 1 ? "was" : "were");
}

/// What `--stable` found, in one line.
std::string stable_text(const StableEdges& found, const Reliability& reliability, double q,
                        const std::string& on) {
  if (found.sure == 0)
    return fmt::format("no edge: even of the surest ones more than {:.0f} % were false on {}{}",
                       100 * q, on, doubtful_text(found));
  if (found.sure == found.fallen)
    return fmt::format("no edge: {} {} sure, but may be due to up to {} unmeasured common causes{}",
                       found.sure, found.sure == 1 ? "is" : "are", kMoreFactors,
                       doubtful_text(found));
  const Counted counted = count_from(reliability, found.threshold);
  std::string text =
      fmt::format("{} of {} edges, those {}: on {}, {} of {} such edges were false ({:.0f} %)",
                  found.sure - found.fallen, found.stable.size(), support_text(found.threshold), on,
                  counted.wrong, counted.edges,
                  counted.edges ? 100.0 * double(counted.wrong) / double(counted.edges) : 0.0);
  if (found.fallen > 0) text = fallen_text(found) + ". " + text;
  return text + doubtful_text(found);
}

/// Whether the data cannot tell an edge (Prepared::doubtful).
std::vector<bool> doubtful_edges(const Analysis& analysis, const Answer& answer) {
  const auto& pairs = analysis.data.doubtful;
  std::vector<bool> out;
  for (const AnswerEdge& edge : answer.edges)
    out.push_back(std::find(pairs.begin(), pairs.end(), std::pair(edge.i, edge.j)) != pairs.end());
  return out;
}

/// `values`: of each edge, in the order of the answer's; other pairs may follow.
void mark_stable(const Analysis& analysis, const Reliability& reliability,
                 const std::vector<std::vector<double>>& values, const std::vector<bool>& kept,
                 Answer& answer) {
  const double q = *analysis.options.stable;
  std::vector<double> supports;
  for (std::size_t e = 0; e < answer.edges.size(); ++e) supports.push_back(support_of(values[e]));
  const StableEdges found =
      stable_edges(reliability, supports, kept, q, doubtful_edges(analysis, answer));
  for (std::size_t e = 0; e < answer.edges.size(); ++e)
    answer.edges[e].confidence->stable = found.stable[e];
  answer.stable_q = q;
  answer.stable_check = stable_text(found, reliability, q, checked_on(reliability, analysis.plan));
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

/// Shares of B resamples lie 1/B apart: to tell edges of which a share q is false from others, the
/// top of the scale needs several steps.
void warn_if_coarse(Analysis& analysis) {
  const double q = *analysis.options.stable;
  const auto enough = std::size_t(std::ceil(20 / q));
  if (analysis.options.resamples >= enough) return;
  analysis.notes.push_back(
      {AnswerNote::Kind::warning,
       fmt::format("which edges are stable at {:g} is provisional: {} resamples tell their shares "
                   "too roughly, repeat with {}",
                   q, analysis.options.resamples, enough),
       Advice::resamples, std::to_string(enough)});
}

/// Whether the partial correlations of all pairs in all resamples fit into 200 MB.
bool holds_all_pairs(const Analysis& analysis) {
  const double p = double(analysis.data.p());
  return p * (p - 1) / 2 * double(analysis.options.resamples) <= 25e6;
}

/// Behind the edges, the pairs that are none.
void add_other_pairs(const Matrix& partial, std::vector<EdgePlace>& places) {
  for (Eigen::Index i = 0; i < partial.rows(); ++i)
    for (Eigen::Index j = i + 1; j < partial.rows(); ++j)
      if (!is_edge(partial(i, j))) places.push_back({i, j});
}

/// The confidence of all pairs, row by row.
void put_pairs(const std::vector<EdgePlace>& places, const BootstrapResult& result,
               Answer& answer) {
  const std::size_t p = answer.names.size();
  answer.pairs.resize(p * (p - 1) / 2);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto [i, j] = std::pair(std::size_t(places[k].i), std::size_t(places[k].j));
    answer.pairs[i * (2 * p - i - 1) / 2 + j - i - 1] = result.edges[k];
  }
}

}  // namespace

void add_confidence(Analysis& analysis, const Candidate& chosen, Answer& answer) {
  std::vector<EdgePlace> edges;
  for (const AnswerEdge& edge : answer.edges)
    edges.push_back({Eigen::Index(edge.i), Eigen::Index(edge.j)});
  if (holds_all_pairs(analysis)) add_other_pairs(answer.partial, edges);
  const auto refit = [&](const Estimate& estimate) {
    return resampling_method(chosen.method, estimate);
  };
  NodeResamples nodes(analysis.options.resamples, answer.community);
  const BootstrapResult result =
      bootstrap(analysis.working, *refit(chosen.estimate), edges, answer.partial,
                {.resamples = analysis.options.resamples,
                 .seed = analysis.options.seed,
                 .stop = analysis.run.stop,
                 .group = analysis.run.group,
                 .progress = [&](double f) { analysis.progress("resampling", f); },
                 .each = [&](std::size_t resample, const Estimate& estimate,
                             const Matrix& S) { nodes.add(resample, estimate, S); }},
                analysis.run.pool);
  analysis.interrupted = result.interrupted;
  if (analysis.interrupted) return;
  for (std::size_t e = 0; e < answer.edges.size(); ++e)
    answer.edges[e].confidence = result.edges[e];
  if (holds_all_pairs(analysis)) put_pairs(edges, result, answer);
  answer.resamples = analysis.options.resamples;
  if (result.failures > 0)
    analysis.warn(fmt::format("in {} of {} resamples the estimate had numerical trouble",
                              result.failures, analysis.options.resamples));
  add_node_confidence(nodes, result, answer);
  add_order_stability(analysis, *refit(chosen.estimate), answer);
  if (analysis.interrupted) return;
  if (!analysis.options.stable && analysis.data.p() > kAutoVariables) return;
  const Reliability reliability = measure_reliability(
      analysis.plan, *chosen.method, refit,
      reliability_options(analysis, chosen, answer.certificate.density), analysis.run.pool);
  analysis.interrupted = analysis.run.stop && analysis.run.stop->load();
  note_reliability(analysis, reliability);
  if (!analysis.options.stable) return;
  mark_stable(analysis, reliability, result.values, edges_despite_factors(analysis, chosen, edges),
              answer);
  warn_if_coarse(analysis);
}

}  // namespace spodnet
