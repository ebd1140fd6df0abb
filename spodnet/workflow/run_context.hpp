#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "spodnet/core/group.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet {

/// What a run works with and who watches it. The result does not depend on the threads, the
/// processes or the watcher.
struct RunContext {
  ThreadPool& pool;
  ModelRegistry models = builtin_models();  ///< that model files may name
  Group* group = nullptr;     ///< processes that share the resamples; null: this one alone
  EngineOptions engine = {};  ///< device of learned models
  const std::atomic<bool>* stop = nullptr;  ///< set by the caller to end the run early
  /// What is being done, and how much of it is. Called from any thread.
  std::function<void(const std::string& what, double fraction)> progress = {};

  bool stopped() const { return stop && stop->load(); }
  void report(const std::string& what, double fraction) const {
    if (progress) progress(what, fraction);
  }
};

}  // namespace spodnet
