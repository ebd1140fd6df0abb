#include "spodnet/analysis/bootstrap.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

Matrix resampled_rows(const Matrix& Y, RandomStream random) {
  std::vector<Eigen::Index> rows(std::size_t(Y.rows()));
  for (Eigen::Index& row : rows) row = Eigen::Index(random.below(std::uint64_t(Y.rows())));
  return Y(rows, Eigen::all);
}

/// Of one edge, from its partial correlations over the resamples.
EdgeConfidence confidence_of(std::vector<double> values, double estimate) {
  EdgeConfidence out;
  const double count = double(values.size());
  double present = 0, same_sign = 0;
  for (const double value : values) {
    present += value != 0;
    same_sign += value * estimate > 0;
  }
  out.share = present / count;
  out.sign_agreement = present > 0 ? same_sign / present : 0;
  std::sort(values.begin(), values.end());
  out.low = quantile(values, 0.025);
  out.high = quantile(values, 0.975);
  return out;
}

}  // namespace

std::vector<EdgePlace> edges_of(const Matrix& Theta) {
  std::vector<EdgePlace> edges;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = i + 1; j < Theta.cols(); ++j)
      if (Theta(i, j) != 0) edges.push_back({i, j});
  return edges;
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

BootstrapResult bootstrap(const WorkingData& data, const Method& method,
                          const std::vector<EdgePlace>& edges, const Matrix& partial,
                          const BootstrapOptions& options, ThreadPool& pool) {
  const std::size_t count = options.resamples;
  std::vector<double> values(edges.size() * count);  // edge by edge
  std::atomic<std::size_t> done = 0, failures = 0;
  std::atomic<bool> interrupted = false;
  pool.run(count, [&](std::size_t b, int) {
    if (options.stop && options.stop->load()) interrupted = true;
    if (interrupted) return;
    const TrainingPart part =
        part_of(data, resampled_rows(data.Y, RandomStream(options.seed, b + 1)));
    const Estimate estimate = method.estimate(problem_of(data, part));
    failures += estimate.status != Status::ok;
    const Matrix& Theta = estimate.Theta;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto [i, j] = edges[e];
      if (Theta(i, j) != 0)
        values[e * count + b] = -Theta(i, j) / std::sqrt(Theta(i, i) * Theta(j, j));
    }
    if (options.progress) options.progress(double(++done) / double(count));
  });
  BootstrapResult out;
  out.failures = failures;
  out.interrupted = interrupted;
  out.edges.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto first = values.begin() + std::ptrdiff_t(e * count);
    out.edges[e] =
        confidence_of({first, first + std::ptrdiff_t(count)}, partial(edges[e].i, edges[e].j));
  }
  return out;
}

}  // namespace spodnet
