#include "experiments/run_parts.hpp"

#include <time.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace spodnet::experiments {
namespace {

/// Adds up what is done, over all threads.
class Tally {
 public:
  Tally(std::span<const Part> parts, std::span<const Part> later, const PartStore& store,
        const RunOptions& options)
      : options_(options), at_work_(parts.size(), 0.0) {
    for (const auto& list : {parts, later})
      for (const Part& part : list) {
        all_ += part.cost;
        ++count_;
        if (!store.has(part)) continue;
        done_ += part.cost;
        ++finished_;
      }
    before_ = done_;
  }

  void advance(std::size_t k, const Part& part, double share) {
    if (!options_.progress) return;
    const std::scoped_lock lock(mutex_);
    done_ += (share - at_work_[k]) * part.cost;
    at_work_[k] = share;
    report(part);
  }

  void finish(std::size_t k, const Part& part) {
    advance(k, part, 1);
    const std::scoped_lock lock(mutex_);
    ++finished_;
    if (options_.progress) report(part);
  }

 private:
  void report(const Part& part) const {
    const double all = std::max(all_, 1e-9);
    options_.progress({finished_, count_, done_ / all, before_ / all, part.name});
  }

  const RunOptions& options_;
  std::mutex mutex_;
  std::vector<double> at_work_;  ///< share done of each part
  double all_ = 0, done_ = 0, before_ = 0;
  std::size_t finished_ = 0, count_ = 0;
};

/// Processor time of this thread: what a part costs, whatever else the machine does.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::vector<Part> missing(std::span<const Part> parts, const PartStore& store) {
  std::vector<Part> out;
  for (const Part& part : parts)
    if (!store.has(part)) out.push_back(part);
  std::stable_sort(out.begin(), out.end(),
                   [](const Part& a, const Part& b) { return a.cost > b.cost; });
  return out;
}

}  // namespace

std::vector<Part> distinct(std::vector<Part> parts) {
  std::set<std::string> seen;
  std::vector<Part> out;
  for (Part& part : parts)
    if (seen.insert(part.key()).second) out.push_back(std::move(part));
  return out;
}

bool run_parts(std::span<const Part> parts, std::span<const Part> later, const PartStore& store,
               const RunOptions& options) {
  static const std::atomic<bool> never = false;
  const std::atomic<bool>& stop = options.stop ? *options.stop : never;
  const std::vector<Part> todo = missing(parts, store);
  Tally tally(parts, later, store, options);
  ThreadPool team(options.threads);
  team.run(todo.size(), [&](std::size_t k, int) {
    if (stop) return;
    const Part& part = todo[k];
    const double start = thread_seconds();
    ThreadPool alone(1);
    const PartContext context{alone, stop, store.scratch(part),
                              [&](double share) { tally.advance(k, part, share); }};
    const std::optional<Json> result = part.work(context);
    if (!result) return;
    store.put(part, *result, thread_seconds() - start);
    tally.finish(k, part);
  });
  return !stop;
}

}  // namespace spodnet::experiments
