#pragma once
#include <cuda_runtime.h>

#include "spodnet/core/error.hpp"

namespace spodnet::cuda {

/// Throws the driver's words.
void check(cudaError_t status, const char* what);

}  // namespace spodnet::cuda
