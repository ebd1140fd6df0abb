#pragma once

#include <string>

#include "cli/report.hpp"
#include "spodnet/devices/device_record.hpp"

namespace spodnet::cli {

/// What --device asks for, and who computed in the end.
class AskedDevice {
 public:
  /// Error for a device that is not there.
  explicit AskedDevice(std::string device);

  /// For methods and analyses, which must not outlive this.
  EngineOptions engine();

  /// Who computed, and why, in one line; empty where nothing but the CPU was asked for.
  std::string text() const;
  /// The same in the result of --json, as `device`.
  void add_to(Json& out) const;

 private:
  std::string device_;
  DeviceRecord record_;
};

}  // namespace spodnet::cli
