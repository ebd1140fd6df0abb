#include "spodnet/cuda/gpu_batch.hpp"

#include <algorithm>
#include <cstring>

namespace spodnet::cuda {
namespace {

constexpr std::size_t kMostBytes = std::size_t(12) << 30;  ///< of tapes at a time

}  // namespace

bool GpuBatch::fits(std::size_t p, bool backward) const {
  return p <= std::size_t(kLargestP) && cuda::fits(shape_, int(p), backward);
}

void GpuBatch::set_weights() {
  const std::vector<double>& values = model_.parameters().values;
  const std::size_t bytes = values.size() * sizeof(double);
  if (uploading_) synchronize();
  weights_.reserve(bytes);
  weights_here_.reserve(bytes);
  std::copy(values.begin(), values.end(), weights_here_.numbers());
  weights_.begin_upload(weights_here_, bytes);
  uploading_ = true;
  transposed_.reserve(std::size_t(transposed_numbers(shape_)) * sizeof(double));
  transpose_weights(shape_, weights_.numbers(), transposed_.numbers());
}

InputOffset GpuBatch::offset() const {
  const std::span<const double> all = model_.parameters().values;
  return {model_.config().init_offset, all.last(std::size_t(shape_.offset_terms))};
}

WalkProblem GpuBatch::problem(const KeptSamples& samples, std::size_t k, std::size_t row) const {
  const KeptSamples::One& one = samples[k];
  WalkProblem problem;
  problem.S = samples.S(k);
  problem.summary = model_.config().summary ? samples.summary(k) : nullptr;
  problem.n = one.n;
  problem.offset = offset()(one.n, one.p, one.summary.data());
  problem.input = samples.input(k);
  problem.p = int(one.p);
  problem.row = int(row);
  return problem;
}

std::vector<GpuBatch::Bucket> GpuBatch::buckets(std::vector<WalkProblem> problems,
                                                bool backward) const {
  const auto longer = [](const WalkProblem& a, const WalkProblem& b) { return a.p > b.p; };
  if (!std::is_sorted(problems.begin(), problems.end(), longer))
    std::stable_sort(problems.begin(), problems.end(), longer);
  std::vector<Bucket> out;
  const auto class_of = [&](const WalkProblem& each) { return size_class(each.p, backward); };
  if (!problems.empty() && class_of(problems.front()) == class_of(problems.back())) {
    out.push_back({problems.front().p, std::move(problems)});
    return out;
  }
  for (const WalkProblem& each : problems) {
    if (out.empty() || size_class(each.p, backward) != size_class(out.back().largest, backward))
      out.push_back({each.p, {}});
    out.back().problems.push_back(each);
  }
  return out;
}

Launch GpuBatch::launch(const Bucket& bucket, std::size_t first, std::size_t count) {
  const std::span<const WalkProblem> now = std::span(bucket.problems).subspan(first, count);
  if (now.size() != listed_count_ ||
      std::memcmp(now.data(), listed_.get(), now.size_bytes()) != 0) {
    if (listing_) synchronize();
    listed_.reserve(now.size_bytes());
    problems_.reserve(now.size_bytes());
    std::memcpy(listed_.get(), now.data(), now.size_bytes());
    problems_.begin_upload(listed_, now.size_bytes());
    listed_count_ = now.size(), listing_ = true;
  }
  Launch launch;
  launch.shape = shape_;
  launch.problems = static_cast<const WalkProblem*>(problems_.get());
  launch.count = int(count);
  launch.weights = weights_.numbers();
  launch.host_weights = weights_here_.numbers();
  launch.transposed = transposed_.numbers();
  launch.gradients = gradients_.numbers();
  launch.outcomes = static_cast<Outcome*>(results_.get());
  return launch;
}

void GpuBatch::keep_inputs(KeptSamples& samples) {
  std::vector<WalkProblem> problems;
  double* to = samples.room_for_inputs();
  for (std::size_t k = 0; k < samples.size(); to += samples[k].p * samples[k].p, ++k) {
    if (samples[k].constrained || !fits(samples[k].p, true)) continue;
    problems.push_back(problem(samples, k, k));
    problems.back().Theta = to;
  }
  std::vector<const double*> inputs(samples.size(), nullptr);
  results_.reserve(samples.size() * sizeof(Outcome));
  const std::vector<WalkProblem> listed = problems;
  for (const Bucket& bucket : buckets(std::move(problems), false)) {
    const auto at_once =
        std::min(bucket.problems.size(), std::size_t(walks_at_once(shape_, bucket.largest, false)));
    memory_.reserve(at_once * std::size_t(walk_numbers(shape_, bucket.largest, false)) *
                    sizeof(double));
    Launch no_layers = launch(bucket, 0, bucket.problems.size());
    no_layers.shape.layers = 0;
    no_layers.memory = memory_.numbers();
    walk(no_layers, bucket.largest);
  }
  fetch_outcomes(samples.size());
  for (const WalkProblem& each : listed)
    if (outcomes_[std::size_t(each.row)].bad == 0) inputs[std::size_t(each.row)] = each.Theta;
  samples.set_inputs(std::move(inputs));
}

void GpuBatch::list(const KeptSamples& samples, std::span<const std::uint32_t> which,
                    std::span<const double> factor, bool with_truth, ThreadPool& team) {
  if (trained_.version == samples.version() && with_truth &&
      std::ranges::equal(trained_.which, which) && std::ranges::equal(trained_.factor, factor))
    return;
  std::vector<WalkProblem> problems;
  std::vector<std::uint32_t> walked;
  problems.reserve(which.size()), walked.reserve(which.size());
  for (std::size_t row = 0; row < which.size(); ++row) {
    if (which[row] == kSkip) continue;
    walked.push_back(which[row]);
    problems.push_back(problem(samples, which[row], row));
    if (!with_truth) continue;
    problems.back().truth = samples.truth(which[row]);
    problems.back().factor = factor[row];
  }
  begin_starts(samples, walked, problems, team);
  const bool stays = with_truth && !shape_.learn_offset && !starts_.any();
  trained_ = {{which.begin(), which.end()},
              {factor.begin(), factor.end()},
              stays ? samples.version() : 0,
              buckets(std::move(problems), true)};
}

void GpuBatch::train(KeptSamples& samples, std::span<const std::uint32_t> which,
                     std::span<const double> factor, const LossOf& loss, ThreadPool& team) {
  list(samples, which, factor, !loss, team);
  gradients_.reserve(which.size() * std::size_t(shape_.parameters) * sizeof(double));
  results_.reserve(which.size() * sizeof(Outcome));
  for (const Bucket& bucket : trained_.buckets) {
    if (loss) {
      walk_with_loss(bucket, loss, team);
      continue;
    }
    const std::size_t count = bucket.problems.size();
    const auto at_once = std::min(count, std::size_t(walks_at_once(shape_, bucket.largest, true)));
    memory_.reserve(at_once * std::size_t(walk_numbers(shape_, bucket.largest, true)) *
                    sizeof(double));
    Launch both = launch(bucket, 0, count);
    both.backward = true;
    both.memory = memory_.numbers();
    walk(both, bucket.largest);
  }
  begin_sum(which.size());
  fetch_outcomes(which.size());
  if (samples.count_walked(which.size()) && !shape_.learn_offset && !starts_.any()) {
    const std::vector<Outcome> of_step = outcomes_;
    keep_inputs(samples);
    outcomes_ = of_step;
  }
}

void GpuBatch::walk_with_loss(const Bucket& bucket, const LossOf& loss, ThreadPool& team) {
  const std::size_t numbers = std::size_t(walk_numbers(shape_, bucket.largest, true));
  const std::size_t size = std::size_t(bucket.largest) * std::size_t(bucket.largest);
  const std::size_t most =
      std::max<std::size_t>(1, kMostBytes / ((numbers + 2 * size) * sizeof(double)));
  Bucket now;
  now.largest = bucket.largest;
  for (std::size_t first = 0; first < bucket.problems.size(); first += now.problems.size()) {
    const std::size_t count = std::min(most, bucket.problems.size() - first);
    now.problems.assign(bucket.problems.begin() + std::ptrdiff_t(first),
                        bucket.problems.begin() + std::ptrdiff_t(first + count));
    memory_.reserve(count * numbers * sizeof(double));
    matrices_.reserve(2 * count * size * sizeof(double));
    for (std::size_t k = 0; k < count; ++k) {
      now.problems[k].Theta = matrices_.numbers() + k * size;
      now.problems[k].G = now.problems[k].Theta;
      now.problems[k].state = matrices_.numbers() + (count + k) * size;
    }
    Launch pass = launch(now, 0, count);
    pass.memory = memory_.numbers();
    pass.keep = true;
    walk(pass, now.largest);
    staged_.reserve(2 * count * size * sizeof(double));
    double *Theta = staged_.numbers(), *G = Theta + count * size;
    matrices_.download(Theta, count * size * sizeof(double));
    team.run(count, [&](std::size_t k, int) {
      loss(std::size_t(now.problems[k].row), Theta + k * size, G + k * size);
    });
    matrices_.upload(G, count * size * sizeof(double));
    pass.forward = false, pass.backward = true;
    walk(pass, now.largest);
  }
}

void GpuBatch::fetch_outcomes(std::size_t rows) {
  const std::size_t bytes = rows * sizeof(Outcome);
  fetched_.reserve(bytes);
  results_.begin_download(fetched_.get(), bytes);
  synchronize();
  uploading_ = listing_ = false;
  const auto* first = static_cast<const Outcome*>(fetched_.get());
  outcomes_.assign(first, first + rows);
}

/// How many matrices' tapes may lie on the device at a time.
std::size_t GpuBatch::most_tapes(int p) const {
  return std::max<std::size_t>(
      1, kMostBytes / (std::size_t(walk_numbers(shape_, p, true)) * sizeof(double)));
}

void GpuBatch::forward(std::vector<WalkProblem> problems) {
  const std::size_t count = problems.size();
  walked_ = {problems.empty() ? 0 : problems.front().p, std::move(problems)};
  if (count == 0) return;
  results_.reserve(count * sizeof(Outcome));
  const bool keep = count <= most_tapes(walked_.largest);
  const auto at_once = std::size_t(walks_at_once(shape_, walked_.largest, true));
  memory_.reserve((keep ? count : std::min(count, at_once)) *
                  std::size_t(walk_numbers(shape_, walked_.largest, true)) * sizeof(double));
  Launch pass = launch(walked_, 0, count);
  pass.memory = memory_.numbers();
  pass.keep = keep;
  walk(pass, walked_.largest);
  fetch_outcomes(count);
}

void GpuBatch::backward(std::span<const double* const> G) {
  const std::size_t count = walked_.problems.size(), most = most_tapes(walked_.largest);
  gradients_.reserve(count * std::size_t(shape_.parameters) * sizeof(double));
  for (WalkProblem& each : walked_.problems)
    each.G = G[std::size_t(each.row)], each.Theta = nullptr;
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t some = std::min(most, count - first);
    memory_.reserve(some * std::size_t(walk_numbers(shape_, walked_.largest, true)) *
                    sizeof(double));
    Launch pass = launch(walked_, first, some);
    pass.memory = memory_.numbers();
    pass.keep = true;
    if (count > most) walk(pass, walked_.largest);  // there was no memory for the tapes: again
    pass.forward = false, pass.backward = true;
    walk(pass, walked_.largest);
  }
  if (count > 0) begin_sum(count);
  fetch_outcomes(count);
}

void GpuBatch::set_gradient(std::size_t row, std::span<const double> gradient) {
  gradients_.upload(gradient.data(), gradient.size() * sizeof(double),
                    row * gradient.size() * sizeof(double));
  summed_ = false;
}

/// Queued before the outcomes are downloaded: so the device does not wait for the host.
void GpuBatch::begin_sum(std::size_t rows) {
  const auto n = std::size_t(shape_.parameters);
  const std::size_t count = (rows + kPartSize - 1) / kPartSize;
  parts_.reserve(count * n * sizeof(double));
  total_.reserve(n * sizeof(double));
  sum_rows(gradients_.numbers(), int(rows), shape_.parameters, parts_.numbers(), total_.numbers());
  total_fetched_.reserve(n * sizeof(double));
  total_.begin_download(total_fetched_.get(), n * sizeof(double));
  summed_ = true;
}

void GpuBatch::sum(std::size_t rows, std::span<double> parts, std::span<double> total) {
  if (!summed_) begin_sum(rows), synchronize();
  if (!parts.empty()) parts_.download(parts.data(), parts.size() * sizeof(double));
  std::copy_n(total_fetched_.numbers(), total.size(), total.data());
}

}  // namespace spodnet::cuda
