#include "spodnet/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

using Body = std::function<void(std::size_t, int)>;
constexpr int kSpins =
    2000;  // well under a millisecond: a short training step must not pay a futex

/// The gate of a round: its number, whether it is open, and how many workers are inside.
constexpr std::uint64_t kInside = 0xFFFF, kOpen = 0x10000;
constexpr int kNumberAt = 17;

}  // namespace

struct ThreadPool::State {
  std::vector<std::jthread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::uint64_t> gate{0};
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::size_t count = 0;
  const Body* body = nullptr;
  const std::atomic<bool>* caller_stop = nullptr;  // the caller's StopScope
  std::exception_ptr error;

  std::uint64_t round() const { return gate.load() >> kNumberAt; }

  void work(int worker) {
    try {
      const StopScope scope(caller_stop);
      for (std::size_t k; (k = next.fetch_add(1)) < count;) {
        leave_if_stopped();
        (*body)(k, worker);
      }
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  }

  /// A thread that comes after the round was closed is not waited for, and stays outside.
  bool enter() {
    std::uint64_t seen = gate.load();
    while (seen & kOpen)
      if (gate.compare_exchange_weak(seen, seen + 1)) return true;
    return false;
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    while (true) {
      for (int spin = 0; spin < kSpins && round() == seen && !stop; ++spin)
        std::this_thread::yield();
      if (round() == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return round() != seen || stop; });
      }
      if (stop) return;
      seen = round();
      if (!enter()) continue;
      work(worker);
      gate.fetch_sub(1);
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (int worker = 1; worker < threads; ++worker)
    state_->workers.emplace_back([this, worker] { state_->serve(worker); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
}

int ThreadPool::size() const { return int(state_->workers.size()) + 1; }

void ThreadPool::run(std::size_t count, const Body& body) {
  State& s = *state_;
  s.count = count;
  s.body = &body;
  s.caller_stop = StopScope::current();
  s.error = nullptr;
  s.next = 0;
  if (count > 1 && !s.workers.empty()) {
    {
      std::lock_guard lock(s.mutex);
      s.gate = ((s.round() + 1) << kNumberAt) | kOpen;
    }
    s.wake.notify_all();
    s.work(0);
    s.gate.fetch_and(~kOpen);
    while (s.gate.load() & kInside) std::this_thread::yield();
  } else {
    s.work(0);
  }
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace spodnet
