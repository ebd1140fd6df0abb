#include "cli/device.hpp"

#include "spodnet/devices/device_record.hpp"
#include "spodnet/devices/devices.hpp"

namespace spodnet::cli {

EngineOptions engine_asked(const std::string& device) {
  check_device(device);
  EngineOptions engine{.device = device};
  if (device != "cpu") engine.record = std::make_shared<DeviceRecord>();
  return engine;
}

std::string device_text(const EngineOptions& engine) {
  if (!engine.record) return "";
  const std::string text = engine.record->text();
  return text.empty() ? "cpu (no learned model was needed)" : text;
}

void add_device(const EngineOptions& engine, Json& out) {
  if (engine.record) out["device"] = device_text(engine);
}

}  // namespace spodnet::cli
