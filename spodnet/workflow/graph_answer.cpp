#include "spodnet/workflow/graph_answer.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/case_dropping.hpp"

namespace spodnet {
namespace {

void add_edges(const Estimate& estimate, Answer& answer) {
  for (const auto [i, j] : edges_of(estimate.Theta))
    answer.edges.push_back(
        {std::size_t(i), std::size_t(j), answer.Theta(i, j), answer.partial(i, j), std::nullopt});
  std::stable_sort(answer.edges.begin(), answer.edges.end(),
                   [](const AnswerEdge& a, const AnswerEdge& b) {
                     return std::abs(a.partial_correlation) > std::abs(b.partial_correlation);
                   });
}

}  // namespace

Answer answer_of(const Estimate& estimate, const Prepared& data, const WorkingData& working) {
  Answer answer;
  Estimate in_units = estimate;
  if (working.standardize) to_data_units(in_units, working.scale);
  answer.names = data.names;
  for (const ColumnKind kind : data.kinds) answer.kinds.push_back(to_string(kind));
  answer.n = working.all.n;
  answer.rows = data.X.size() > 0 ? double(data.X.rows()) : answer.n;
  answer.Theta = std::move(in_units.Theta);
  answer.W = std::move(in_units.W);
  answer.partial = partial_correlations(estimate.Theta, estimate.Theta);
  answer.eigenvalues =
      Eigen::SelfAdjointEigenSolver<Matrix>(estimate.Theta, Eigen::EigenvaluesOnly).eigenvalues();
  AnswerCertificate& certificate = answer.certificate;
  certificate.residual = inverse_residual(answer.Theta, answer.W);
  certificate.eig_min = answer.eigenvalues[0];
  certificate.eig_max = answer.eigenvalues[answer.eigenvalues.size() - 1];
  certificate.condition = certificate.eig_max / certificate.eig_min;
  certificate.density = density(estimate.Theta);
  add_edges(estimate, answer);
  return answer;
}

void find_communities(Answer& answer, bool standardized, std::uint64_t seed) {
  const Communities found =
      louvain(graph_of(standardized ? answer.partial : answer.Theta), {.seed = seed});
  std::vector<std::size_t> size(found.count, 0), order(found.count), rank(found.count);
  for (const std::uint32_t c : found.community) ++size[c];
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  answer.community.clear();
  for (const std::uint32_t c : found.community) answer.community.push_back(rank[c]);
  answer.modularity = found.modularity;
}

namespace {

constexpr std::size_t kDifferentEdges = 50;  // the strongest, each with each
constexpr std::size_t kDifferentNodes = 50;
constexpr std::size_t kFewestSubsets = 20;
constexpr std::size_t kManyVariables = 100;  // beyond, every other share of the rows is dropped
constexpr double kReadable = 0.25, kStableOrder = 0.5;  // Epskamp, Borsboom and Fried 2018

std::vector<std::size_t> strongest_nodes(const AnswerNodes& nodes) {
  std::vector<std::size_t> order(std::size_t(nodes.value.rows()));
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto strength = nodes.value.col(Eigen::Index(NodeMeasure::strength));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return strength[Eigen::Index(a)] > strength[Eigen::Index(b)];
  });
  order.resize(std::min(order.size(), kDifferentNodes));
  return order;
}

void note_order(Analysis& analysis, const Vector& stability) {
  const double strength = stability[Eigen::Index(NodeMeasure::strength)];
  const std::string text = fmt::format(
      "the order of the variables by strength stays (correlation 0.7 or more in 95 % of the "
      "subsets) {} {:.0f} % of the rows are dropped",
      strength >= kStableOrder ? "when up to" : "only when no more than", 100 * strength);
  if (strength >= kStableOrder) return analysis.note(text);
  analysis.warn((strength > 0
                     ? text
                     : "the order of the variables by strength changes when rows are dropped") +
                (strength >= kReadable ? ": read it with care" : ": it should not be read"));
}

}  // namespace

void add_nodes(const Analysis& analysis, const Candidate& chosen, Answer& answer) {
  answer.nodes.value = measures_of(chosen.estimate, analysis.working.all.S, answer.community);
}

void add_node_confidence(const NodeResamples& nodes, const BootstrapResult& edges, Answer& answer) {
  nodes.fill_ranges(answer.nodes);
  std::vector<std::vector<double>> values = edges.values;
  values.resize(std::min(answer.edges.size(), kDifferentEdges));  // other pairs follow
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t(0));
  answer.edge_differences = difference_tests(values, places);
  const std::vector<std::size_t> which = strongest_nodes(answer.nodes);
  answer.strength_differences = difference_tests(nodes.values(NodeMeasure::strength, which), which);
  answer.influence_differences =
      difference_tests(nodes.values(NodeMeasure::expected_influence, which), which);
}

void add_order_stability(Analysis& analysis, const Method& method, Answer& answer) {
  std::vector<double> shares;  // empty: ten
  if (answer.names.size() > kManyVariables) shares = {0.05, 0.225, 0.4, 0.575, 0.75};
  if (answer.names.size() < 3 || answer.edges.empty()) return;  // no order to speak of
  const CaseDropping dropped =
      drop_cases(analysis.working, method, answer.nodes.value, answer.community,
                 {.dropped = shares,
                  .subsets = std::max(kFewestSubsets, analysis.options.resamples / 10),
                  .seed = analysis.options.seed,
                  .stop = analysis.run.stop,
                  .progress = [&](double f) { analysis.progress("dropping rows", f); }},
                 analysis.run.pool);
  analysis.interrupted = dropped.interrupted;
  if (dropped.interrupted) return;
  answer.nodes.stability = dropped.stability;
  note_order(analysis, dropped.stability);
}

}  // namespace spodnet
