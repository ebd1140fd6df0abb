#pragma once

#include <atomic>

namespace spodnet::cli {

/// While it lives, the first Ctrl-C (also SIGTERM and SIGHUP) sets the flag instead of ending the
/// process; a second one ends it at once. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  const std::atomic<bool>& flag() const;
};

}  // namespace spodnet::cli
