#pragma once

#include <atomic>

namespace spodnet::cli {

/// While it lives, the first Ctrl-C (also SIGTERM, SIGHUP and Slurm's SIGUSR1) sets the flag
/// instead of ending the process; a second one ends it at once. With `patience` the process ends by
/// itself, as interrupted, when it still lives that many seconds after the first: for work that may
/// be long away from the flag and leaves nothing behind. One at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(unsigned patience = 0);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  const std::atomic<bool>& flag() const;
};

}  // namespace spodnet::cli
