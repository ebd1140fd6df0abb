#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spodnet/models/engine.hpp"

namespace spodnet {

/// Descriptions of the GPUs of this machine, by number; none without a driver.
std::vector<std::string> cuda_devices();

std::size_t cuda_device_count();

/// The largest p of a matrix that a GPU walks.
std::size_t cuda_largest_p();

/// The engine of a model on GPU number `device`; null where it does not know the model's rule
/// (GLAD, users' rules). Matrices that it cannot do, because they are too large, have constraints
/// or because rounding spoils them, go to a CPU engine of the same options.
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const EngineOptions& options,
                                         int device);

}  // namespace spodnet
