#include "spodnet/workflow/case_dropping.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/node_confidence.hpp"
#include "spodnet/workflow/resampler.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kDropStream = 1'000'000'000;  // beyond the bootstrap's

std::vector<double> ten_shares() {
  std::vector<double> shares;
  for (int k = 0; k < 10; ++k) shares.push_back(0.05 + 0.70 * k / 9);
  return shares;
}

/// Correlations of each measure with those of all rows, one row per subset that succeeded.
std::vector<Vector> agreements(const Resampler& draw, const Method& method, const Matrix& value,
                               std::span<const std::size_t> community, double dropped,
                               std::size_t count, std::uint64_t seed, std::uint64_t stream,
                               ThreadPool& pool) {
  std::vector<TrainingPart> parts(count);
  pool.run(count, [&](std::size_t k, int) {
    parts[k] = draw.without(dropped, RandomStream(seed, stream + k));
  });
  std::vector<Problem> problems;
  for (const TrainingPart& part : parts) problems.push_back(draw.problem_of(part));
  const std::vector<Estimate> estimates = method.estimate_all(problems, &pool);
  std::vector<Vector> out(count);
  pool.run(count, [&](std::size_t k, int) {
    if (!is_sound(estimates[k].status)) return;
    const Matrix measures = measures_of(estimates[k], parts[k].S, community);
    out[k] = Vector(value.cols());
    for (Eigen::Index m = 0; m < value.cols(); ++m)
      out[k][m] = correlation_of(value.col(m), measures.col(m));
  });
  std::erase_if(out, [](const Vector& each) { return each.size() == 0; });
  return out;
}

}  // namespace

double correlation_of(const Vector& x, const Vector& y) {
  const Vector u = x.array() - x.mean(), v = y.array() - y.mean();
  const double scale = std::sqrt(u.squaredNorm() * v.squaredNorm());
  return scale > 0 ? u.dot(v) / scale : 0;
}

CaseDropping drop_cases(const WorkingData& data, const Method& method, const Matrix& value,
                        std::span<const std::size_t> community, const CaseDroppingOptions& options,
                        ThreadPool& pool) {
  const Resampler draw(data, method);
  CaseDropping out;
  out.dropped = options.dropped.empty() ? ten_shares() : options.dropped;
  out.least = Matrix::Zero(Eigen::Index(out.dropped.size()), value.cols());
  out.stability = Vector::Zero(value.cols());
  for (std::size_t level = 0; level < out.dropped.size(); ++level) {
    out.interrupted = options.stop && options.stop->load();
    if (out.interrupted) return out;
    const auto seen =
        agreements(draw, method, value, community, out.dropped[level], options.subsets,
                   options.seed, kDropStream + level * options.subsets, pool);
    for (Eigen::Index m = 0; m < value.cols() && !seen.empty(); ++m) {
      std::vector<double> sorted;
      for (const Vector& each : seen) sorted.push_back(each[m]);
      std::sort(sorted.begin(), sorted.end());
      const double least = quantile(sorted, 1 - options.certainty);
      out.least(Eigen::Index(level), m) = least;
      if (least >= options.correlation)
        out.stability[m] = std::max(out.stability[m], out.dropped[level]);
    }
    if (options.progress) options.progress(double(level + 1) / double(out.dropped.size()));
  }
  return out;
}

}  // namespace spodnet
