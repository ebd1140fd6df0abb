#include "spodnet/c/call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "spodnet/core/stop.hpp"

namespace spodnet::c {
namespace {

constexpr auto kWatchEvery = std::chrono::milliseconds(50);

struct LastError {
  std::string line;
  Advice advice = Advice::none;
};

LastError& error_here() {
  thread_local LastError error;
  return error;
}

/// What is being done, from any thread of the work to the one that waits.
class Watched {
 public:
  void report(const std::string& what, double fraction) {
    const std::lock_guard lock(mutex_);
    what_ = what, fraction_ = fraction;
  }
  void finish(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    done_ = true;
    changed_.notify_all();
  }
  /// Calls the watcher until the work is done; its wish to stop is passed on.
  void wait(spod_watch watch, void* user, std::atomic<bool>& stop) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kWatchEvery, [&] { return done_; })) {
      const std::string what = what_;
      const double fraction = fraction_;
      lock.unlock();
      if (watch(user, what.c_str(), fraction) != 0) stop = true;
      lock.lock();
    }
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_ = "preparing";
  double fraction_ = 0;
  bool done_ = false;
  std::exception_ptr failure_;
};

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kThreads = false;
#else
constexpr bool kThreads = true;
#endif

void in_this_thread(spod_watch watch, void* user, RunContext& run, std::atomic<bool>& stop,
                    const std::function<void(const RunContext&)>& work) {
  if (watch)
    run.progress = [&](const std::string& what, double fraction) {
      if (watch(user, what.c_str(), fraction) != 0) stop = true;
    };
  const StopScope scope(&stop);
  work(run);
}

void in_a_thread(spod_watch watch, void* user, RunContext& run, std::atomic<bool>& stop,
                 const std::function<void(const RunContext&)>& work) {
  Watched state;
  run.progress = [&](const std::string& what, double fraction) { state.report(what, fraction); };
  std::thread worker([&] {
    std::exception_ptr failure;
    try {
      const StopScope scope(&stop);
      work(run);
    } catch (...) {
      failure = std::current_exception();
    }
    state.finish(failure);
  });
  state.wait(watch, user, stop);
  worker.join();
  if (state.failure() && !stop) std::rethrow_exception(state.failure());
}

}  // namespace

int failed(int status, const std::string& line, Advice advice) {
  error_here() = {line, advice};
  return status;
}

const char* last_error() { return error_here().line.c_str(); }

const char* last_advice() { return advice_word(error_here().advice).data(); }

int guarded(const char* where, const std::function<int()>& work) {
  try {
    return work();
  } catch (const Stopped&) {
    return failed(SPOD_INTERRUPTED, "interrupted");
  } catch (const AdvisedError& error) {
    return failed(SPOD_BAD_INPUT, error.what(), error.advice());
  } catch (const Error& error) {
    return failed(SPOD_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return failed(SPOD_FAILED, std::string(where) + ": memory ran out");
  } catch (const std::exception& error) {
    return failed(SPOD_FAILED, std::string(where) + ": " + error.what());
  } catch (...) {
    return failed(SPOD_FAILED, std::string(where) + ": an unknown fault");
  }
}

void watched(spod_watch watch, void* user, int threads,
             const std::function<void(const RunContext&)>& work) {
  ThreadPool pool(kThreads ? threads : 1);
  std::atomic<bool> stop = false;
  RunContext run{.pool = pool};
  run.stop = &stop;
  if (watch && kThreads)
    in_a_thread(watch, user, run, stop, work);
  else
    in_this_thread(watch, user, run, stop, work);
  if (stop) throw Stopped{};
}

}  // namespace spodnet::c
