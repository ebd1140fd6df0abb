#include "spodnet/workflow/node_confidence.hpp"

#include <algorithm>

#include "spodnet/metrics/centrality.hpp"
#include "spodnet/metrics/edge_agreement.hpp"

namespace spodnet {
namespace {

/// The 2.5 % and 97.5 % points.
std::pair<double, double> range_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.025), quantile(values, 0.975)};
}

}  // namespace

Matrix measures_of(const Estimate& estimate, const Matrix& S,
                   std::span<const std::size_t> community) {
  return node_measures(partial_correlations(estimate.Theta, estimate.Theta), community,
                       predictability(estimate.Theta, S));
}

void NodeResamples::fill_ranges(AnswerNodes& nodes) const {
  nodes.low = nodes.high = nodes.value;
  for (Eigen::Index i = 0; i < nodes.value.rows(); ++i)
    for (Eigen::Index m = 0; m < nodes.value.cols(); ++m) {
      std::vector<double> all;
      for (const Matrix& each : values_)
        if (each.size() > 0) all.push_back(each(i, m));
      if (!all.empty()) std::tie(nodes.low(i, m), nodes.high(i, m)) = range_of(std::move(all));
    }
}

std::vector<std::vector<double>> NodeResamples::values(
    NodeMeasure measure, const std::vector<std::size_t>& which) const {
  std::vector<std::vector<double>> out(which.size());
  for (const Matrix& each : values_)
    if (each.size() > 0)
      for (std::size_t k = 0; k < which.size(); ++k)
        out[k].push_back(each(Eigen::Index(which[k]), Eigen::Index(measure)));
  return out;
}

std::vector<AnswerDifference> difference_tests(const std::vector<std::vector<double>>& values,
                                               const std::vector<std::size_t>& names) {
  std::vector<AnswerDifference> out;
  for (std::size_t a = 0; a < values.size(); ++a)
    for (std::size_t b = a + 1; b < values.size(); ++b) {
      std::vector<double> differences(values[a].size());
      for (std::size_t k = 0; k < differences.size(); ++k)
        differences[k] = values[a][k] - values[b][k];
      if (differences.empty()) continue;
      const auto [low, high] = range_of(std::move(differences));
      out.push_back({names[a], names[b], low, high});
    }
  return out;
}

}  // namespace spodnet
