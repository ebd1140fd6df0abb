#include "spodnet/workflow/add_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "spodnet/workflow/case_dropping.hpp"

namespace spodnet {
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
