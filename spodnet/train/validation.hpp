#pragma once

#include <span>

#include "spodnet/core/group.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/train/history.hpp"

namespace spodnet {

/// Fills the validation columns of `row`: means over the set of NMSE, F1 (with and without the
/// diagonal), condition number and density, and the smallest eigenvalue of all estimates.
/// Samples run in parallel and are summed in index order: the same for any pool size. The processes
/// of a group share them, and all get the row.
/// Cost per sample: one estimate and one eigenvalue decomposition.
void validate(const Engine& engine, std::span<const Sample> samples, ThreadPool& pool,
              EpochRow& row, Group& group = one_process());

}  // namespace spodnet
