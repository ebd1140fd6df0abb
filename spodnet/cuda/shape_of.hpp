#pragma once

#include <optional>

#include "spodnet/cuda/walk.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet::cuda {

/// How a device walks the matrices of a model; nothing where it does not know the model's rule.
std::optional<WalkShape> shape_of(const Model& model);

}  // namespace spodnet::cuda
