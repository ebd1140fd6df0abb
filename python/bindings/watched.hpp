#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <nanobind/nanobind.h>

namespace spodnet {

/// What long work reports on its way, from any thread.
using Report = std::function<void(const std::string& what, double fraction)>;

/// Whether a callback's answer is to go on: None, or what Python takes for true.
bool goes_on(nanobind::handle answer);

/// Runs `work` in a thread of its own while this one looks for Ctrl-C and hands the latest report
/// to `callback(what, fraction)` (if not None) ten times a second and at the end. Ctrl-C, or a
/// callback that raises or does not go on, sets `stop`; what was raised is raised here when the
/// work has ended; work that left because of `stop` is an Error.
/// To be called with the GIL held.
void run_watched(nanobind::object callback, std::atomic<bool>& stop,
                 const std::function<void(const Report&)>& work);

}  // namespace spodnet
