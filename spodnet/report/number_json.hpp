#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace spodnet {

/// A number for people's JSON: whole ones without a point, null for what JSON cannot hold.
inline nlohmann::ordered_json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::int64_t(value);
  return value;
}

}  // namespace spodnet
