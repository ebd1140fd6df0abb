#pragma once

#include <map>
#include <string>

#include "spodnet/models/model.hpp"

namespace spodnet {

using Metadata = std::map<std::string, std::string>;

/// A model file's metadata, all strings: `model`, `p` (a number or "any"), `layers`, `tied`,
/// `scaling`, `zeta`, `init_offset` (a number or "learned"), `v_min`, `standardized` and `summary`
/// (where they are true), `program` or `program.K` (of model "program"), and `config.info` under
/// its own keys. Hidden widths are not among them: they are read from the shapes of the tensors.
Metadata metadata_from_config(const ModelConfig& config);

/// The inverse: keys that are not settings become `info`. Throws Error, its line starting with
/// `name`, when a setting is missing or makes no sense.
ModelConfig config_from_metadata(const Metadata& metadata, const std::string& name);

}  // namespace spodnet
