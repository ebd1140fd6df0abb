#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/report.hpp"

namespace spodnet::cli {
namespace {

constexpr int kWidth = 24;
constexpr auto kQuietAtFirst = std::chrono::seconds(2);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(30);

}  // namespace

std::string progress_line(const std::string& what, double fraction, double seconds_left,
                          const std::string& note) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int full = int(kWidth * fraction);
  std::string line = fmt::format("{} [{}{}] {:3.0f} %", what, std::string(std::size_t(full), '#'),
                                 std::string(std::size_t(kWidth - full), '-'), 100 * fraction);
  if (!note.empty()) line += "  " + note;
  if (seconds_left >= 0) line += "  " + seconds_text(seconds_left) + " left";
  return line;
}

Progress::Progress(std::string what, bool lines)
    : what_(std::move(what)),
      enabled_(::isatty(STDERR_FILENO) == 1 && !is_quiet()),
      lines_(lines && !enabled_ && !is_quiet()),
      next_(start_ + (lines_ ? Clock::duration(kLineInterval) : Clock::duration(kQuietAtFirst))) {}

Progress::~Progress() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::show(double fraction, const std::string& note, double fraction_before) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || !due()) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double done = fraction - fraction_before;
  const double left = done > 0 ? elapsed * (1 - fraction) / done : -1;
  const std::string line = progress_line(what_, fraction, left, note);
  if (lines_) {
    print_note(line);
    next_ = now + kLineInterval;
    return;
  }
  std::cerr << '\r' << line << "\033[K" << std::flush;
  next_ = now + kInterval;
  drawn_ = true;
}

}  // namespace spodnet::cli
