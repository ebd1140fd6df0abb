#pragma once

#include <functional>
#include <string>

#include "include/spodnet.h"
#include "spodnet/core/advice.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/workflow/run_context.hpp"

namespace spodnet::c {

/// Does `work`, whose value is a status, and turns whatever it throws into a status and the line of
/// spod_error(). `where` is the function that was called.
int guarded(const char* where, const std::function<int()>& work);

/// Notes the line of a call that failed, with the setting that would help, and returns its status.
int failed(int status, const std::string& line, Advice advice = Advice::none);

const char* last_error();
const char* last_advice();

/// Does `work` with a pool of so many threads (0: one per core). With a watcher it is done in a
/// thread of its own while this one calls the watcher every 50 ms; without threads (WebAssembly)
/// the watcher is called from the work's reports. Throws what `work` throws, and Stopped when the
/// watcher said stop.
void watched(spod_watch watch, void* user, int threads,
             const std::function<void(const RunContext&)>& work);

}  // namespace spodnet::c
