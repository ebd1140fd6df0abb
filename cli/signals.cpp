#include "cli/signals.hpp"

#include <csignal>
#include <cstddef>
#include <iterator>

namespace spodnet::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "only then may a signal handler set it");
struct sigaction before[std::size(kSignals)];

extern "C" void request_stop(int) { stop = true; }

}  // namespace

StopOnSignal::StopOnSignal() {
  stop = false;
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
}

const std::atomic<bool>& StopOnSignal::flag() const { return stop; }

}  // namespace spodnet::cli
