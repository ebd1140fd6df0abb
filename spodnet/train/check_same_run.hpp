#pragma once

#include <span>

#include "spodnet/core/group.hpp"
#include "spodnet/train/checkpoint.hpp"

namespace spodnet {

/// Throws Error in every process of the group unless all of them begin the same training at the
/// same step with the same weights, and with the same instruction set, without which their last
/// bits would part. Each waits for all.
void check_same_run(Group& group, const TrainIdentity& identity, const TrainState& state,
                    std::span<const double> weights);

}  // namespace spodnet
