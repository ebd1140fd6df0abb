#include "spodnet/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spodnet {
namespace {

using Body = std::function<void(std::size_t, int)>;
constexpr int kSpins =
    2000;  // well under a millisecond: a short training step must not pay a futex

}  // namespace

struct ThreadPool::State {
  std::vector<std::jthread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::size_t> round{0};
  std::atomic<std::size_t> next{0};
  std::atomic<int> busy{0};
  std::atomic<bool> stop{false};
  std::size_t count = 0;
  const Body* body = nullptr;
  std::exception_ptr error;

  void work(int worker) {
    try {
      for (std::size_t k; (k = next.fetch_add(1)) < count;) (*body)(k, worker);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  }

  void serve(int worker) {
    std::size_t seen = 0;
    while (true) {
      for (int spin = 0; spin < kSpins && round.load() == seen && !stop; ++spin)
        std::this_thread::yield();
      if (round.load() == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return round.load() != seen || stop; });
      }
      if (stop) return;
      seen = round.load();
      work(worker);
      busy.fetch_sub(1);
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
  s.error = nullptr;
  s.next = 0;
  if (count > 1 && !s.workers.empty()) {
    s.busy = int(s.workers.size());
    {
      std::lock_guard lock(s.mutex);
      s.round.fetch_add(1);
    }
    s.wake.notify_all();
    s.work(0);
    while (s.busy.load() > 0) std::this_thread::yield();
  } else {
    s.work(0);
  }
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace spodnet
