#include "python/bindings/gil.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "python/bindings/bindings.hpp"

namespace nb = nanobind;

namespace spodnet {
namespace {

/// Who may still ask for the GIL.
struct GilGate {
  std::atomic<bool> closed = false;
  std::atomic<std::thread::id> closed_by;  ///< the thread that closes the interpreter still may
  std::atomic<int> inside = 0;             ///< threads that ask, or hold it for a callback

  void enter() {
    ++inside;
    if (!closed || closed_by.load() == std::this_thread::get_id()) return;
    --inside;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  void leave() { --inside; }

  /// Python calls it before it closes: threads inside the library leave it first.
  void close() {
    closed_by = std::this_thread::get_id();
    closed = true;
    nb::gil_scoped_release released;
    for (int wait = 0; inside > 0 && wait < 1000;
         ++wait)  // a fork may have left one there for good
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

GilGate& gil_gate() {
  static GilGate& gate = *new GilGate;  // outlives the threads that wait at it
  return gate;
}

}  // namespace

ReleasedGil::~ReleasedGil() {
  gil_gate().enter();
  PyEval_RestoreThread(state_);
  gil_gate().leave();
}

HeldGil::HeldGil() {
  gil_gate().enter();
  state_ = PyGILState_Ensure();
}

HeldGil::~HeldGil() {
  PyGILState_Release(state_);
  gil_gate().leave();
}

void bind_gil(nb::module_&) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { gil_gate().close(); }));
}

}  // namespace spodnet
