#pragma once

#include "experiments/json.hpp"

namespace spodnet::experiments {

/// This computer, for the record: processor, cores, memory_bytes, system.
Json machine();

}  // namespace spodnet::experiments
