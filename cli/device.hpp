#pragma once

#include <string>

#include "cli/report.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet::cli {

/// What --device asks for; Error for one that is not there. But for the CPU it keeps a record of
/// who computed what.
EngineOptions engine_asked(const std::string& device);

/// Who computed, and why, in one line; empty where nothing but the CPU was asked for.
std::string device_text(const EngineOptions& engine);

/// The same in the result of --json, as `device`.
void add_device(const EngineOptions& engine, Json& out);

}  // namespace spodnet::cli
