#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace spodnet {

/// A small team of threads for fork-join loops. No OpenMP, so it cannot clash with the OpenMP of
/// PyTorch or scikit-learn in the same process. One loop at a time per pool; the library keeps
/// no global pool, each caller owns its own.
class ThreadPool {
 public:
  explicit ThreadPool(int threads = 0);  ///< 0: one per available core
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;  ///< number of workers, the caller included

  /// Calls body(index, worker) once for each index in [0, count), worker in [0, size()).
  /// Which worker takes which index is not determined: results must not depend on it.
  /// The first exception thrown by body is rethrown here, as is Stopped (stop.hpp).
  void run(std::size_t count, const std::function<void(std::size_t, int)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spodnet
