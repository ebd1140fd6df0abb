#pragma once

#include "reproduce/json.hpp"

namespace spodnet::figures {

/// This computer, for the record: processor, cores, memory_bytes, system.
Json machine();

}  // namespace spodnet::figures
