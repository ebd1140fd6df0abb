#include "reproduce/run_parts.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"

namespace spodnet::figures {
namespace {

constexpr double kLatest = 120;  // seconds until a file of another machine is seen

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

/// As the first process sees it: the list must be one.
std::vector<Part> missing(std::span<const Part> parts, const PartStore& store, Group& group) {
  std::vector<double> mine, is_missing(parts.size());
  if (group.first())
    for (const Part& part : parts) mine.push_back(store.has(part) ? 0 : 1);
  std::vector<std::size_t> counts(std::size_t(group.size()), 0);
  counts[0] = parts.size();
  group.gather(mine, counts, is_missing);
  std::vector<Part> out;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (is_missing[k] != 0) out.push_back(parts[k]);
  std::stable_sort(out.begin(), out.end(),
                   [](const Part& a, const Part& b) { return a.cost > b.cost; });
  return out;
}

/// A network's folder shows the files of other machines late.
void wait_for(std::span<const Part> parts, const PartStore& store) {
  const Stopwatch watch;
  for (const Part& part : parts)
    while (!store.has(part)) {
      if (watch.seconds() > kLatest)
        throw Error("part '" + part.key() +
                    "' was finished by another process and is not here: all processes must see the "
                    "same folder");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
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
  Group& group = options.group ? *options.group : one_process();
  const std::vector<Part> todo = missing(parts, store, group);
  Tally tally(parts, later, store, options);
  ThreadPool team(options.threads);
  const auto work = [&](std::size_t k, int) -> std::vector<double> {
    if (stop) return {};
    const Part& part = todo[k];
    const double start = thread_seconds();
    ThreadPool alone(1);
    const PartContext context{alone, stop, store.scratch(part),
                              [&](double share) { tally.advance(k, part, share); }};
    const std::optional<Json> result = part.work(context);
    if (!result) return {};
    store.put(part, *result, thread_seconds() - start);
    return {1};
  };
  group.farm(todo.size(), team, stop, work, [&](std::size_t k, std::span<const double> finished) {
    if (!finished.empty()) tally.finish(k, todo[k]);
  });
  if (any_of(group, stop)) return false;
  if (group.size() > 1) wait_for(todo, store);
  return true;
}

}  // namespace spodnet::figures
