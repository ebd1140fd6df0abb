#pragma once

#include <atomic>

namespace spodnet {

/// Thrown out of long work that was asked to stop; no Error, so that it is not taken for a result.
struct Stopped {};

/// While it lives, work of this thread, and of the pools that it runs, looks for the flag: in every
/// column of a solver or layer, before every piece of a pool's work. So callers whose users may
/// interrupt at any time get an answer soon, from methods that know nothing of flags.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop) : before_(current_) { current_ = stop; }
  ~StopScope() { current_ = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// The flag of this thread; null: there is none.
  static const std::atomic<bool>* current() { return current_; }

 private:
  static inline constinit thread_local const std::atomic<bool>* current_ = nullptr;
  const std::atomic<bool>* before_;
};

/// Throws Stopped when the flag of this thread is set.
inline void leave_if_stopped() {
  const std::atomic<bool>* stop = StopScope::current();
  if (stop && stop->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace spodnet
