#include "spodnet/workflow/add_confidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/graph_answer.hpp"
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

std::string support_text(const Reliability& reliability, double support) {
  if (reliability.by_error)
    return fmt::format("whose size is at least {:.1f} times its error", support - 1);
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
  return fmt::format("; {} edge{} between variables that these data cannot distinguish {} left out",
                     found.doubtful, found.doubtful == 1 ? "" : "s",
                     found.doubtful == 1 ? "was" : "were");
}

/// What decides which edges are stable.
struct Supports {
  std::vector<double> support;
  std::vector<bool> doubtful;
};

std::vector<double> asked_about(const Supports& edges) {
  std::vector<double> out;
  for (std::size_t e = 0; e < edges.support.size(); ++e)
    if (!edges.doubtful[e]) out.push_back(edges.support[e]);
  return out;
}

/// Why not even the surest edge is stable. `supports`: of the edges asked about.
std::string none_text(const Reliability& reliability, const std::vector<double>& supports,
                      const std::string& on) {
  if (supports.empty()) return "no edge";
  const double surest = *std::max_element(supports.begin(), supports.end());
  return fmt::format(
      "no edge: of edges as sure as the surest here ({}) about {:.0f} % were false on {}",
      reliability.by_error ? fmt::format("whose size is {:.1f} times its error", surest - 1)
      : surest <= 1        ? fmt::format("in {:.0f} % of the resamples", 100 * surest)
                           : "in all resamples",
      100 * (1 - reliability.chance_at(surest)), on);
}

/// What `--stable` found, in one line.
std::string stable_text(const StableEdges& found, const Reliability& reliability,
                        const Supports& edges, const std::string& on) {
  if (edges.support.empty()) return "no edge: the estimate has none";
  if (found.sure == 0) return none_text(reliability, asked_about(edges), on) + doubtful_text(found);
  if (found.sure == found.fallen)
    return fmt::format("no edge: {} {} sure, but may be due to up to {} unmeasured common causes{}",
                       found.sure, found.sure == 1 ? "is" : "are", kMoreFactors,
                       doubtful_text(found));
  const Counted counted = count_from(reliability, found.threshold);
  std::string text =
      fmt::format("{} of {} edges, those {}: on {}, {} of {} such edges were false ({:.0f} %)",
                  found.sure - found.fallen, found.stable.size(),
                  support_text(reliability, found.threshold), on, counted.wrong, counted.edges,
                  counted.edges ? 100.0 * double(counted.wrong) / double(counted.edges) : 0.0);
  if (found.fallen > 0) text = fallen_text(found) + ". " + text;
  return text + doubtful_text(found);
}

/// Whether the data cannot show an edge (Prepared::doubtful).
std::vector<bool> doubtful_edges(const Analysis& analysis, const Answer& answer) {
  const auto& pairs = analysis.data.doubtful;
  std::vector<bool> out;
  for (const AnswerEdge& edge : answer.edges)
    out.push_back(std::find(pairs.begin(), pairs.end(), std::pair(edge.i, edge.j)) != pairs.end());
  return out;
}

/// `result`: of each edge, in the order of the answer's; other pairs may follow.
Supports edge_supports(const Analysis& analysis, const Answer& answer,
                       const BootstrapResult& result, bool by_error) {
  std::vector<EdgePlace> edges;
  for (const AnswerEdge& edge : answer.edges)
    edges.push_back({Eigen::Index(edge.i), Eigen::Index(edge.j)});
  return {supports_of(result, edges, answer.partial, by_error), doubtful_edges(analysis, answer)};
}

void mark_stable(const Analysis& analysis, const Reliability& reliability, const Supports& edges,
                 const std::vector<bool>& kept, Answer& answer) {
  const double q = *analysis.options.stable;
  const StableEdges found = stable_edges(reliability, edges.support, kept, q, edges.doubtful);
  for (std::size_t e = 0; e < answer.edges.size(); ++e)
    answer.edges[e].confidence->stable = found.stable[e];
  answer.stable_q = q;
  answer.stable_check =
      stable_text(found, reliability, edges, checked_on(reliability, analysis.plan));
}

/// How many resamples settle which edges are stable; as many as there were, if these do.
Unsettled unsettled(const Analysis& analysis, const Reliability& reliability, const Supports& edges,
                    const std::vector<bool>& kept, std::size_t resamples) {
  const double q = *analysis.options.stable;
  return unsettled_edges(stable_edges(reliability, edges.support, kept, q, edges.doubtful),
                         edges.support, edges.doubtful, resamples);
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

/// Shares of B resamples lie 1/B apart: to separate edges of which a share q is false, the
/// top of the scale needs several steps.
void warn_if_coarse(Analysis& analysis, const Unsettled& left, std::size_t resamples) {
  const double q = *analysis.options.stable;
  const auto enough = std::size_t(std::ceil(20 / q));
  if (resamples >= enough && left.edges == 0) return;
  if (resamples >= enough) {
    const bool more = left.resamples > resamples;
    return analysis.notes.push_back(
        {AnswerNote::Kind::done,
         fmt::format(
             "{} edge{} so near the limit of stable ones that other resamples (another "
             "seed) may decide otherwise{}",
             left.edges, left.edges == 1 ? " is" : "s are",
             more ? fmt::format(": {} would settle it, or most of it", left.resamples) : ""),
         more ? Advice::resamples : Advice::none, std::to_string(left.resamples)});
  }
  analysis.notes.push_back(
      {AnswerNote::Kind::warning,
       fmt::format("which edges are stable at {:g} is provisional: {} resamples give their shares "
                   "too roughly, repeat with {}",
                   q, resamples, enough),
       Advice::resamples, std::to_string(enough)});
}

/// Whether the partial correlations of all pairs in all resamples fit into 200 MB.
bool holds_all_pairs(const Analysis& analysis) {
  const double p = double(analysis.data.p());
  const std::size_t most = analysis.options.settle ? kMostSettling : analysis.options.resamples;
  return p * (p - 1) / 2 * double(most) <= 25e6;
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

/// So many resamples of the chosen estimate, and what they say of the answer's edges and nodes.
BootstrapResult resample(Analysis& analysis, const Candidate& chosen, const Method& method,
                         const std::vector<EdgePlace>& edges, std::size_t count, Answer& answer) {
  NodeResamples nodes(count, answer.community);
  BootstrapResult result =
      bootstrap(analysis.working, method, edges, answer.partial,
                {.resamples = count,
                 .seed = analysis.options.seed,
                 .stop = analysis.run.stop,
                 .group = analysis.run.group,
                 .Theta = margins_of(analysis).by_error() ? &chosen.estimate.Theta : nullptr,
                 .progress = [&](double f) { analysis.progress("resampling", f); },
                 .each = [&](std::size_t resample, const Estimate& estimate,
                             const Matrix& S) { nodes.add(resample, estimate, S); }},
                analysis.run.pool);
  analysis.interrupted = result.interrupted;
  if (analysis.interrupted) return result;
  answer.resamples = count;
  for (std::size_t e = 0; e < answer.edges.size(); ++e)
    answer.edges[e].confidence = result.edges[e];
  if (holds_all_pairs(analysis)) put_pairs(edges, result, answer);
  add_node_confidence(nodes, result, answer);
  return result;
}

/// Which edges are stable; with more resamples where that is asked for and needed.
void add_stable(Analysis& analysis, const Candidate& chosen, const Method& method,
                const std::vector<EdgePlace>& edges, const Reliability& reliability,
                BootstrapResult& result, Answer& answer) {
  const std::vector<bool> kept = edges_despite_factors(analysis, chosen, edges);
  Supports supports = edge_supports(analysis, answer, result, reliability.by_error);
  Unsettled left = unsettled(analysis, reliability, supports, kept, answer.resamples);
  if (analysis.options.settle && left.resamples > answer.resamples) {
    result = resample(analysis, chosen, method, edges, left.resamples, answer);
    if (analysis.interrupted) return;
    supports = edge_supports(analysis, answer, result, reliability.by_error);
    left = unsettled(analysis, reliability, supports, kept, answer.resamples);
  }
  mark_stable(analysis, reliability, supports, kept, answer);
  if (!answer.edges.empty()) warn_if_coarse(analysis, left, answer.resamples);
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
  const auto method = refit(chosen.estimate);
  BootstrapResult result =
      resample(analysis, chosen, *method, edges, analysis.options.resamples, answer);
  if (analysis.interrupted) return;
  add_order_stability(analysis, *method, answer);
  if (analysis.interrupted) return;
  if (analysis.options.stable || analysis.data.p() <= kAutoVariables) {
    const Reliability reliability = measure_reliability(
        analysis.plan, *chosen.method, refit,
        reliability_options(analysis, chosen, answer.certificate.density), analysis.run.pool);
    analysis.interrupted = analysis.run.stop && analysis.run.stop->load();
    note_reliability(analysis, reliability);
    if (analysis.options.stable && !analysis.interrupted)
      add_stable(analysis, chosen, *method, edges, reliability, result, answer);
  }
  if (result.failures > 0)
    analysis.warn(fmt::format("in {} of {} resamples the estimate had numerical trouble",
                              result.failures, answer.resamples));
}

}  // namespace spodnet
