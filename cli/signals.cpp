#include "cli/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <iterator>

#include "cli/session.hpp"

namespace spodnet::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};  // the last: Slurm's warning

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "only then may a signal handler set it");
struct sigaction before[std::size(kSignals)];

unsigned patience_after_stop = 0;
struct sigaction alarm_before;

extern "C" void request_stop(int) {
  stop = true;
  if (patience_after_stop > 0) ::alarm(patience_after_stop);
}

extern "C" void end_now(int) {
  constexpr char note[] = "spodnet: interrupted, nothing was written\n";
  (void)!::write(STDERR_FILENO, note, sizeof note - 1);
  ::_exit(kInterrupted);
}

}  // namespace

StopOnSignal::StopOnSignal(unsigned patience) {
  stop = false;
  patience_after_stop = patience;
  struct sigaction ending {};
  ending.sa_handler = end_now;
  sigaction(SIGALRM, patience > 0 ? &ending : nullptr, &alarm_before);
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (std::size_t k = 0; k < std::size(kSignals); ++k) {
    sigaction(kSignals[k], nullptr, &before[k]);
    if (before[k].sa_handler != SIG_IGN) sigaction(kSignals[k], &action, nullptr);  // nohup stays
  }
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t k = 0; k < std::size(kSignals); ++k) sigaction(kSignals[k], &before[k], nullptr);
  if (patience_after_stop > 0) ::alarm(0);
  sigaction(SIGALRM, &alarm_before, nullptr);
}

const std::atomic<bool>& StopOnSignal::flag() const { return stop; }

}  // namespace spodnet::cli
