#include "spodnet/workflow/bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/products.hpp"
#include "spodnet/workflow/resampler.hpp"

namespace spodnet {
namespace {

/// Of one edge, from its partial correlations over the resamples.
EdgeConfidence confidence_of(std::vector<double> values, double estimate) {
  EdgeConfidence out;
  if (values.empty()) return out;
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
  for (double& value : values) value = -value;
  std::reverse(values.begin(), values.end());
  out.high = -quantile(values, 0.025);  // as -x has it, to the last bit
  return out;
}

/// Resamples whose matrices are held at a time: about 100 MB.
std::size_t at_once(Eigen::Index p) {
  return std::size_t(std::clamp(1e8 / (32.0 * double(p * p)), 4.0, 64.0));
}

/// Resamples first, first + 1, ..., and their estimates.
struct Resampled {
  std::vector<TrainingPart> parts;
  std::vector<Estimate> estimates;
};

Resampled resampled(const Resampler& draw, const Method& method,
                    const std::vector<std::size_t>& numbers, std::uint64_t seed, ThreadPool& pool) {
  Resampled out;
  if (numbers.empty()) return out;  // more processes than resamples
  out.parts.resize(numbers.size());
  pool.run(numbers.size(), [&](std::size_t k, int) {
    out.parts[k] = draw.resampled(RandomStream(seed, numbers[k] + 1));
  });
  std::vector<Problem> problems;
  for (const TrainingPart& part : out.parts) problems.push_back(draw.problem_of(part));
  out.estimates = method.estimate_all(problems, &pool);
  return out;
}

/// What processes send each other of one resample: its status, Theta, W and S.
class ResampleRecord {
 public:
  explicit ResampleRecord(Eigen::Index p) : p_(p), square_(std::size_t(p * p)) {}
  std::size_t size() const { return 1 + 3 * square_; }

  void append(const Estimate& estimate, const Matrix& S, std::vector<double>& numbers) const {
    numbers.push_back(double(int(estimate.status)));
    for (const Matrix* matrix : {&estimate.Theta, &estimate.W, &S}) {
      const bool there = matrix->rows() == p_;  // a failed estimate may have none
      numbers.resize(numbers.size() + square_, 0.0);
      if (there) std::copy_n(matrix->data(), square_, numbers.end() - std::ptrdiff_t(square_));
    }
  }

  void read(const double* numbers, Estimate& estimate, Matrix& S) const {
    estimate.status = Status(int(*numbers++));
    for (Matrix* matrix : {&estimate.Theta, &estimate.W, &S}) {
      *matrix = ConstMatrixMap(numbers, p_, p_);
      numbers += square_;
    }
  }

 private:
  const Eigen::Index p_;
  const std::size_t square_;
};

/// Resamples first ... first + count - 1; process r of a group makes those with k = r (mod size).
Resampled shared_resampled(const Resampler& draw, const Method& method, Eigen::Index p,
                           std::size_t first, std::size_t count, std::uint64_t seed,
                           ThreadPool& pool, Group& group) {
  const auto ranks = std::size_t(group.size());
  std::vector<std::size_t> own;
  for (std::size_t k = std::size_t(group.rank()); k < count; k += ranks) own.push_back(first + k);
  Resampled mine = resampled(draw, method, own, seed, pool);
  if (ranks == 1) return mine;
  const ResampleRecord record(p);
  std::vector<double> numbers, all(count * record.size());
  for (std::size_t k = 0; k < own.size(); ++k)
    record.append(mine.estimates[k], mine.parts[k].S, numbers);
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < ranks; ++r)
    counts.push_back((count + ranks - 1 - r) / ranks * record.size());
  group.gather(numbers, counts, all);
  Resampled out{std::vector<TrainingPart>(count), std::vector<Estimate>(count)};
  const double* next = all.data();
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t k = r; k < count; k += ranks, next += record.size())
      record.read(next, out.estimates[k], out.parts[k].S);
  return out;
}

void tell_each(const Resampled& drawn, std::size_t first, const BootstrapOptions& options,
               ThreadPool& pool) {
  if (!options.each) return;
  pool.run(drawn.parts.size(), [&](std::size_t k, int) {
    if (is_sound(drawn.estimates[k].status))
      options.each(first + k, drawn.estimates[k], drawn.parts[k].S);
  });
}

void add_values(const Matrix& Theta, const std::vector<EdgePlace>& edges,
                std::vector<std::vector<double>>& values) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [i, j] = edges[e];
    values[e].push_back(is_edge(Theta, i, j) ? -Theta(i, j) / std::sqrt(Theta(i, i) * Theta(j, j))
                                             : 0.0);
  }
}

/// The spread of Theta S Theta in the units of partial correlations.
class LinearErrors {
 public:
  explicit LinearErrors(const Matrix* Theta) : Theta_(Theta) {
    if (Theta) sum_ = squares_ = Matrix::Zero(Theta->rows(), Theta->cols());
  }
  void add(const Matrix& S) {
    if (!Theta_) return;
    const Vector unit = Theta_->diagonal().cwiseSqrt().cwiseInverse();
    const Matrix value = scaled_both(unit, times(*Theta_, times(S, *Theta_)), unit);
    sum_ += value, squares_ += value.cwiseAbs2(), ++count_;
  }
  Matrix spread() const {
    if (!Theta_ || count_ == 0) return {};
    return (squares_ / count_ - (sum_ / count_).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  }

 private:
  const Matrix* Theta_;
  Matrix sum_, squares_;
  double count_ = 0;
};

}  // namespace

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

BootstrapResult bootstrap(const WorkingData& data, const Method& method,
                          const std::vector<EdgePlace>& edges, const Matrix& partial,
                          const BootstrapOptions& options, ThreadPool& pool) {
  Group& group = options.group ? *options.group : one_process();
  const std::size_t count = options.resamples;
  const std::size_t chunk = std::max(at_once(data.Y.cols()), std::size_t(group.size()));
  const Resampler draw(data, method);
  BootstrapResult out;
  out.values.resize(edges.size());
  LinearErrors errors(options.Theta);
  for (std::size_t first = 0; first < count && !out.interrupted; first += chunk) {
    out.interrupted = any_of(group, options.stop && options.stop->load());
    if (out.interrupted) break;
    const std::size_t size = std::min(chunk, count - first);
    const Resampled drawn =
        shared_resampled(draw, method, data.Y.cols(), first, size, options.seed, pool, group);
    for (const Estimate& estimate : drawn.estimates)
      if (is_sound(estimate.status))
        add_values(estimate.Theta, edges, out.values);
      else
        ++out.failures;
    for (const TrainingPart& part : drawn.parts) errors.add(part.S);
    tell_each(drawn, first, options, pool);
    if (options.progress) options.progress(double(first + size) / double(count));
  }
  out.errors = errors.spread();
  out.edges.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    out.edges[e] = confidence_of(out.values[e], partial(edges[e].i, edges[e].j));
  return out;
}

}  // namespace spodnet
