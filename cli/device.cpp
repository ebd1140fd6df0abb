#include "cli/device.hpp"

#include <utility>

#include "spodnet/devices/devices.hpp"

namespace spodnet::cli {

AskedDevice::AskedDevice(std::string device) : device_(std::move(device)) { check_device(device_); }

EngineOptions AskedDevice::engine() {
  EngineOptions engine;
  engine.device = device_;
  if (device_ != "cpu") engine.record = &record_;
  return engine;
}

std::string AskedDevice::text() const {
  if (device_ == "cpu") return "";
  const std::string text = record_.text();
  return text.empty() ? "cpu (no learned model was needed)" : text;
}

void AskedDevice::add_to(Json& out) const {
  if (device_ != "cpu") out["device"] = text();
}

}  // namespace spodnet::cli
