// Estimates of lists of samples: the device walks a piece while the host takes the one before.
#include <algorithm>

#include "spodnet/cuda/gpu_batch.hpp"

namespace spodnet::cuda {

constexpr std::size_t kStagedBytes = std::size_t(64) << 20;  ///< of results at a time

void GpuBatch::estimate(const KeptSamples& samples, std::span<const std::uint32_t> which,
                        double sparsity, const Take& take, ThreadPool& team) {
  std::vector<WalkProblem> problems;
  for (std::size_t row = 0; row < which.size(); ++row)
    problems.push_back(problem(samples, which[row], row));
  if (starts_.any()) starts_.begin(samples, which, problems, false, team);
  results_.reserve(which.size() * sizeof(Outcome));
  for (const Bucket& bucket : buckets(std::move(problems), false))
    estimate_bucket(bucket, sparsity, take, team);
}

/// In pieces of whole rounds of the device, which walks a piece while the host takes the one
/// before.
void GpuBatch::estimate_bucket(const Bucket& bucket, double sparsity, const Take& take,
                               ThreadPool& team) {
  const auto at_once = std::size_t(walks_at_once(shape_, bucket.largest, false));
  const std::size_t size = std::size_t(bucket.largest) * std::size_t(bucket.largest);
  const std::size_t rounds = kStagedBytes / (2 * size * sizeof(double)) / at_once;
  const std::size_t most = std::max<std::size_t>(1, rounds) * at_once;
  const std::size_t count = bucket.problems.size(), together = std::min(most, count);
  memory_.reserve(std::min(at_once, count) *
                  std::size_t(walk_numbers(shape_, bucket.largest, false)) * sizeof(double));
  matrices_.reserve(2 * together * size * sizeof(double));
  staged_.reserve(2 * together * size * sizeof(double));
  Bucket now = bucket;
  for (std::size_t k = 0; k < count; ++k) {
    now.problems[k].Theta = matrices_.numbers() + 2 * (k % most) * size;
    now.problems[k].W = now.problems[k].Theta + size;
  }
  const auto begin = [&](std::size_t first) {
    if (first >= count) return;
    Launch pass = launch(now, first, std::min(most, count - first));
    pass.shape.sparsity = sparsity;
    pass.memory = memory_.numbers();
    walk(pass, now.largest);
  };
  begin(0);
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t some = std::min(most, count - first);
    matrices_.download(staged_.get(), 2 * some * size * sizeof(double));
    fetch_outcomes(results_.bytes() / sizeof(Outcome));
    begin(first + most);
    const auto take_one = [&](std::size_t k, ThreadPool* pool) {
      const auto row = std::size_t(now.problems[first + k].row);
      const double* Theta = staged_.numbers() + 2 * k * size;
      take(row, outcomes_[row], Theta, Theta + size, pool);
    };
    if (some < std::size_t(team.size()))
      for (std::size_t k = 0; k < some; ++k) take_one(k, &team);
    else
      team.run(some, [&](std::size_t k, int) { take_one(k, nullptr); });
  }
}

}  // namespace spodnet::cuda
