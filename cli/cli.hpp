#pragma once

#include "spodnet/models/model.hpp"

namespace spodnet::cli {

/// The whole command line; returns the exit status (0 done, 1 numerical trouble, 2 bad input,
/// 130 interrupted).
/// A user's main registers its own rules in `models` and calls this.
int run(int argc, char** argv, const ModelRegistry& models);

}  // namespace spodnet::cli
