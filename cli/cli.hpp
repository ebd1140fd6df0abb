#pragma once

#include "spodnet/core/group.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/loss.hpp"

namespace spodnet::cli {

/// The whole command line; returns the exit status (0 done, 1 numerical trouble, 2 bad input,
/// 130 interrupted).
/// A user's main registers its own rules in `models`, its own losses in `losses`, and calls this.
/// Of several processes (join_mpi of spodnet/mpi) the first one writes files and messages.
int run(int argc, char** argv, const ModelRegistry& models,
        const LossRegistry& losses = builtin_losses(), Group& group = one_process());

}  // namespace spodnet::cli
