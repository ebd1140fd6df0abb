#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace spodnet::figures {

using Json = nlohmann::ordered_json;

/// null for what JSON cannot hold, and back.
inline Json to_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
inline double to_number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace spodnet::figures
