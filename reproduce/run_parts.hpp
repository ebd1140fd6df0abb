#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "reproduce/part.hpp"
#include "spodnet/core/group.hpp"

namespace spodnet::figures {

/// How far a whole plan is.
struct PlanProgress {
  std::size_t done = 0, parts = 0;  ///< finished parts, and all
  double fraction = 0;              ///< of the plan's cost
  double fraction_before = 0;       ///< that earlier runs had done
  std::string now;                  ///< name of a part at work
};

struct RunOptions {
  int threads = 0;  ///< parts at a time, one thread each; 0: one per core
  const std::atomic<bool>* stop = nullptr;
  Group* group = nullptr;  ///< processes that share the parts and see one folder; null: this one
  std::function<void(const PlanProgress&)> progress = {};  ///< may come from any thread
};

/// Each key once, in the order of first appearance.
std::vector<Part> distinct(std::vector<Part> parts);

/// Runs the parts that are not in the store, the costly first, and stores each when it is
/// finished. The processes of a group take parts as they become free. `later` are parts of the plan
/// that another call will run: they count in the progress alone. False when it was stopped; the
/// first exception of a part is rethrown.
[[nodiscard]] bool run_parts(std::span<const Part> parts, std::span<const Part> later,
                             const PartStore& store, const RunOptions& options);

}  // namespace spodnet::figures
