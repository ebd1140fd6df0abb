#pragma once

#include <span>

#include "spodnet/models/model.hpp"
#include "spodnet/train/history.hpp"

namespace spodnet {

/// Fills the validation columns of `row`: means over the set of NMSE, F1 (with and without the
/// diagonal), condition number and density, and the smallest eigenvalue of all estimates.
/// Samples run in parallel and are summed in index order: the same for any pool size.
/// Cost per sample: one estimate and one eigenvalue decomposition.
void validate(const Model& model, std::span<const Sample> samples, ThreadPool& pool, EpochRow& row);

}  // namespace spodnet
