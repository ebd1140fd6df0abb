#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace spodnet::cli {

/// `what [#####---------------]  25 %  note  0:12 left`; no time while `seconds_left` < 0.
std::string progress_line(const std::string& what, double fraction, double seconds_left,
                          const std::string& note);

/// A bar on standard error: only where that is a terminal, and only for work that lasts longer
/// than two seconds. Erased at the end. Where it is no terminal but `lines` are wanted, as of a job
/// whose output is a file: a line every half minute. May be called from several threads, as often
/// as one likes.
class Progress {
 public:
  explicit Progress(std::string what, bool lines = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool enabled() const { return enabled_; }
  /// Whether `show` would draw now: for callers whose note costs something to make.
  bool due() const { return (enabled_ || lines_) && Clock::now() >= next_.load(); }

  /// `fraction` of the work is done, of which `fraction_before` was when this process began.
  void show(double fraction, const std::string& note = "", double fraction_before = 0);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string what_;
  const bool enabled_, lines_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<Clock::time_point> next_;
  bool drawn_ = false;
  std::mutex mutex_;
};

}  // namespace spodnet::cli
