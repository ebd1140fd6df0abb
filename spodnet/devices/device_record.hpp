#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "spodnet/devices/choose_device.hpp"

namespace spodnet {

/// Who computed what, for the line that says so. Threads may add to it at the same time.
class DeviceRecord {
 public:
  void add(const DeviceChoice& choice, std::size_t matrices);

  /// "cuda:0, 400 matrices (as asked); cpu, 3 matrices (...)", the first reason of each device;
  /// empty: nothing was computed by a model.
  std::string text() const;
  /// Matrices of a device.
  std::size_t matrices(const std::string& device) const;

 private:
  struct Entry {
    DeviceChoice choice;
    std::size_t matrices = 0;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  ///< by device
};

}  // namespace spodnet
