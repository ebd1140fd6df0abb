#include "spodnet/devices/device_record.hpp"

#include <algorithm>

#include "spodnet/devices/devices.hpp"

namespace spodnet {

void DeviceRecord::add(const DeviceChoice& choice, std::size_t matrices) {
  if (matrices == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.choice.device == choice.device;
  });
  if (found == entries_.end())
    entries_.push_back({choice, matrices});
  else
    found->matrices += matrices;
}

std::string DeviceRecord::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [choice, matrices] : entries_)
    out += (out.empty() ? "" : "; ") + choice.device + ", " + std::to_string(matrices) +
           (matrices == 1 ? " matrix (" : " matrices (") + choice.why + ")";
  return out;
}

std::size_t DeviceRecord::matrices(const std::string& device) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& each : entries_)
    if (each.choice.device == device) return each.matrices;
  return 0;
}

}  // namespace spodnet
