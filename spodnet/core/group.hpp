#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "spodnet/core/parallel.hpp"

namespace spodnet {

/// Piece `index` of a farm's work, done by one thread; the numbers go to the first process.
using FarmWork = std::function<std::vector<double>(std::size_t index, int worker)>;
/// What the first process does with them: one call at a time, in the order of arrival.
using FarmTake = std::function<void(std::size_t index, std::span<const double> numbers)>;

/// Processes that run the same program on the same input and share its work. All of them call the
/// same functions in the same order. This class is the group of one process; mpi/ has the others.
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool first() const { return rank() == 0; }  ///< the one that writes files and messages

  /// All numbers of all processes, in the order of ranks, to everyone: counts[r] of rank r.
  virtual void gather(std::span<const double> mine, std::span<const std::size_t> counts,
                      std::span<double> all);

  /// `blocks` has sent[r] numbers for each rank r, one after the other; `out` gets what the others
  /// have for this one, received[r] numbers of rank r, one after the other.
  virtual void exchange(std::span<const double> blocks, std::span<const std::size_t> sent,
                        std::span<double> out, std::span<const std::size_t> received);

  virtual void barrier() {}

  /// Does work(index) once for each index below `count`, on whichever process has a free thread of
  /// its `pool`, the small ones first. When `stop` is set in the first process no more is begun.
  /// The first exception of a process is thrown again there.
  virtual void farm(std::size_t count, ThreadPool& pool, const std::atomic<bool>& stop,
                    const FarmWork& work, const FarmTake& take);

  /// Ends every process of the group at once, with this exit status; a group of one goes on.
  virtual void abandon(int /*status*/) {}
};

/// This process alone.
Group& one_process();

/// One number of every process, in the order of ranks.
std::vector<double> gather_one(Group& group, double mine);

/// Whether any of them says so.
bool any_of(Group& group, bool mine);

}  // namespace spodnet
