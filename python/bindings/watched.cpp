#include "python/bindings/watched.hpp"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "python/bindings/gil.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stop.hpp"

namespace nb = nanobind;

namespace spodnet {
namespace {

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, fresh = false;
  std::string what;
  double fraction = 0;
  std::exception_ptr failure;
};

/// Waits a moment or until the work has ended; true: it has.
bool wait_a_moment(Shared& shared) {
  const ReleasedGil released;
  std::unique_lock lock(shared.mutex);
  return shared.changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return shared.done; });
}

/// False: Python has an error set, or wishes to stop.
bool look(Shared& shared, const nb::object& callback, bool& raised) {
  if (PyErr_CheckSignals() != 0) return !(raised = true);
  std::string what;
  double fraction = 0;
  {
    const std::lock_guard lock(shared.mutex);
    if (!shared.fresh || callback.is_none()) return true;
    shared.fresh = false;
    what = shared.what;
    fraction = shared.fraction;
  }
  try {
    return goes_on(callback(what, fraction));
  } catch (nb::python_error& error) {
    error.restore();
  }
  return !(raised = true);
}

}  // namespace

bool goes_on(nb::handle answer) {
  if (answer.is_none()) return true;
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

void run_watched(nb::object callback, std::atomic<bool>& stop,
                 const std::function<void(const Report&)>& work) {
  Shared shared;
  const Report report = [&](const std::string& what, double fraction) {
    const std::lock_guard lock(shared.mutex);
    shared.what = what;
    shared.fraction = fraction;
    shared.fresh = true;
  };
  bool stopped = false;
  std::thread worker([&] {
    try {
      const StopScope scope(&stop);
      work(report);
    } catch (const Stopped&) {
      stopped = true;
    } catch (...) {
      shared.failure = std::current_exception();
    }
    const std::lock_guard lock(shared.mutex);
    shared.done = true;
    shared.changed.notify_all();
  });
  bool raised = false;
  while (!wait_a_moment(shared))
    if (!raised && !look(shared, callback, raised)) stop = true;
  if (!raised) (void)look(shared, callback, raised);  // the last report, however soon it came
  {
    const ReleasedGil released;
    worker.join();
  }
  if (raised) throw nb::python_error();
  if (stopped) throw Error("stopped before its end");
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace spodnet
