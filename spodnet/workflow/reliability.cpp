#include "spodnet/workflow/reliability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kDrawnForEach = 3;  // data sets drawn for each one that is kept
constexpr double kMostSpreads = 1000;     // of a partial correlation

/// The data sets whose estimates are closest in density (on a logarithmic scale), in order; those
/// of infinite density not at all.
std::vector<std::size_t> closest(const std::vector<double>& densities, double density,
                                 std::size_t count, std::size_t pairs) {
  const double one = 1 / double(pairs);
  std::vector<std::size_t> order(densities.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto distance = [&](std::size_t k) {
    return std::abs(std::log((densities[k] + one) / (density + one)));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  std::erase_if(order, [&](std::size_t k) { return std::isinf(densities[k]); });
  order.resize(std::min(count, order.size()));
  return order;
}

/// The method's estimates; without Theta where it refuses a table (a level that a fold lacks).
std::vector<Estimate> estimates_of(const Method& method, const std::vector<Problem>& problems,
                                   ThreadPool& pool) {
  try {
    return method.estimate_all(problems, &pool);
  } catch (const Error&) {
    std::vector<Estimate> out(problems.size());
    pool.run(problems.size(), [&](std::size_t k, int) {
      try {
        out[k] = method.estimate(problems[k]);
      } catch (const Error&) {
        out[k] = {};
      }
    });
    return out;
  }
}

/// Whether an edge rests on levels that never occur together: those are never called stable.
std::vector<bool> doubtful_edges(const WorkingData& table, const std::vector<EdgePlace>& edges) {
  std::vector<bool> out(edges.size(), false);
  if (table.moments.kinds.empty()) return out;
  const auto pairs = pairs_with_empty_corners(table.Y, table.moments.kinds, table.weight);
  for (std::size_t e = 0; e < edges.size(); ++e)
    out[e] = std::binary_search(pairs.begin(), pairs.end(),
                                std::pair(std::size_t(edges[e].i), std::size_t(edges[e].j)));
  return out;
}

}  // namespace

double support_of(const std::vector<double>& values) {
  const auto count = double(values.size());
  double present = 0, sum = 0, squares = 0;
  for (const double x : values) present += is_edge(x), sum += x, squares += x * x;
  if (values.empty() || present < count) return values.empty() ? 0 : present / count;
  const double mean = std::abs(sum) / count;
  const double spread = std::sqrt(std::max(0.0, squares / count - mean * mean));
  return 1 + std::min(kMostSpreads, mean / std::max(spread, mean / kMostSpreads));
}

std::vector<double> supports_of(const BootstrapResult& result, const std::vector<EdgePlace>& edges,
                                const Matrix& partial, bool by_error) {
  std::vector<double> all, out;
  for (std::size_t e = 0; e < edges.size() && !by_error; ++e)
    out.push_back(support_of(result.values[e]));
  if (!by_error || edges.empty()) return out;
  for (const auto& [i, j] : edges) all.push_back(result.errors(i, j));
  std::sort(all.begin(), all.end());
  const double middle = quantile(all, 0.5);
  for (const auto& [i, j] : edges) {
    const double error = middle + result.errors(i, j);
    out.push_back(1 + std::min(kMostSpreads, error > 0 ? std::abs(partial(i, j)) / error : 0.0));
  }
  return out;
}

double Reliability::chance_at(double support) const {
  if (observations.empty()) return 0.5;
  const auto above =
      std::lower_bound(observations.begin(), observations.end(), support,
                       [](const Observation& each, double value) { return each.support < value; });
  if (above == observations.end()) return chance.back();
  const auto k = std::size_t(above - observations.begin());
  if (k == 0 || above->support == support) return chance[k];
  const double left = observations[k - 1].support;
  const double weight = (support - left) / (above->support - left);
  return chance[k - 1] + weight * (chance[k] - chance[k - 1]);
}

void fit_chances(Reliability& reliability) {
  auto& seen = reliability.observations;
  std::sort(seen.begin(), seen.end(),
            [](const auto& a, const auto& b) { return a.support < b.support; });
  struct Block {
    double sum = 0, count = 0;
    double mean() const { return sum / count; }
  };
  std::vector<Block> blocks;
  for (std::size_t first = 0; first < seen.size();) {
    Block block;
    std::size_t last = first;
    for (; last < seen.size() && seen[last].support == seen[first].support; ++last)
      block.sum += seen[last].is_true, ++block.count;
    while (!blocks.empty() && blocks.back().mean() >= block.mean()) {
      block.sum += blocks.back().sum, block.count += blocks.back().count;
      blocks.pop_back();
    }
    blocks.push_back(block);
    first = last;
  }
  reliability.chance.clear();
  for (const Block& block : blocks)
    reliability.chance.insert(reliability.chance.end(), std::size_t(block.count),
                              (block.sum + 0.5) / (block.count + 1));
}

Reliability measure_reliability(const TrainingPlan& plan, const Method& method, const Refit& refit,
                                const ReliabilityOptions& options, ThreadPool& pool) {
  TrainingPlan fresh = plan;
  fresh.seed = options.seed + 1'000'000;  // none of them was trained on
  if (options.margins.rows > 0) fresh.n = options.margins.rows;
  const std::size_t drawn = kDrawnForEach * options.data_sets;
  const DataSet data = plan_data(fresh, 0, drawn, true, pool,
                                 options.loadings.size() > 0 ? &options.loadings : nullptr);
  std::vector<WorkingData> tables(drawn);
  pool.run(drawn, [&](std::size_t k, int) {
    tables[k] = with_margins(options.margins, data.X[k], plan.standardized);
  });
  std::vector<Problem> problems;
  for (const WorkingData& table : tables) problems.push_back(problem_of(table, table.all));
  const std::vector<Estimate> estimates = estimates_of(method, problems, pool);
  std::vector<double> densities;
  for (const Estimate& estimate : estimates)
    densities.push_back(estimate.Theta.size() > 0 ? density(estimate.Theta)
                                                  : std::numeric_limits<double>::infinity());
  Reliability out;
  out.rows = fresh.n;
  out.hidden = options.loadings.size() > 0;
  out.margins = !options.margins.gaussian();
  out.by_error = options.margins.by_error();
  const std::size_t pairs = std::max<std::size_t>(1, plan.p * (plan.p - 1) / 2);
  const auto kept = closest(densities, options.density, options.data_sets, pairs);
  for (const std::size_t k : kept) {
    const Matrix& Theta = estimates[k].Theta;
    const std::vector<EdgePlace> edges = edges_of(Theta);
    const Matrix partial = partial_correlations(Theta, Theta);
    const BootstrapResult result = bootstrap(tables[k], *refit(estimates[k]), edges, partial,
                                             {.resamples = options.resamples,
                                              .seed = options.seed,
                                              .stop = options.stop,
                                              .group = options.group,
                                              .Theta = out.by_error ? &Theta : nullptr},
                                             pool);
    if (result.interrupted) break;
    const std::vector<double> supports = supports_of(result, edges, partial, out.by_error);
    const std::vector<bool> doubtful = doubtful_edges(tables[k], edges);
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (!doubtful[e])
        out.observations.push_back(
            {supports[e], is_edge(data.Theta_true[k], edges[e].i, edges[e].j)});
    ++out.data_sets;
    if (options.progress) options.progress(double(out.data_sets) / double(kept.size()));
  }
  fit_chances(out);
  return out;
}

double stable_threshold(const Reliability& reliability, const std::vector<double>& supports,
                        double q) {
  std::vector<double> sorted = supports;
  std::sort(sorted.rbegin(), sorted.rend());
  double threshold = std::numeric_limits<double>::infinity(), expected_false = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    expected_false += 1 - reliability.chance_at(sorted[k]);
    const bool last_of_equals = k + 1 == sorted.size() || sorted[k + 1] < sorted[k];
    if (last_of_equals && expected_false <= q * double(k + 1)) threshold = sorted[k];
  }
  return threshold;
}

}  // namespace spodnet
