#include "spodnet/core/group.hpp"

#include <algorithm>
#include <mutex>

namespace spodnet {

void Group::gather(std::span<const double> mine, std::span<const std::size_t>,
                   std::span<double> all) {
  std::copy(mine.begin(), mine.end(), all.begin());
}

void Group::exchange(std::span<const double> blocks, std::span<const std::size_t>,
                     std::span<double> out, std::span<const std::size_t>) {
  std::copy(blocks.begin(), blocks.end(), out.begin());
}

void Group::farm(std::size_t count, ThreadPool& pool, const std::atomic<bool>& stop,
                 const FarmWork& work, const FarmTake& take) {
  std::mutex taking;
  pool.run(count, [&](std::size_t index, int worker) {
    if (stop) return;
    const std::vector<double> numbers = work(index, worker);
    const std::scoped_lock lock(taking);
    take(index, numbers);
  });
}

Group& one_process() {
  static Group alone;
  return alone;
}

std::vector<double> gather_one(Group& group, double mine) {
  const std::vector<std::size_t> counts(std::size_t(group.size()), 1);
  std::vector<double> all(counts.size());
  group.gather({&mine, 1}, counts, all);
  return all;
}

bool any_of(Group& group, bool mine) {
  const std::vector<double> all = gather_one(group, mine ? 1 : 0);
  return std::any_of(all.begin(), all.end(), [](double each) { return each != 0; });
}

}  // namespace spodnet
