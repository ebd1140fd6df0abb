#pragma once
#include <cuda_runtime.h>

#include <type_traits>

#include "spodnet/core/error.hpp"

namespace spodnet::cuda {

/// Throws the driver's words.
void check(cudaError_t status, const char* what);

/// How a kernel is spread: blocks, threads of each, bytes of shared memory. `together`: all blocks
/// are alive at once, so that they may wait for each other.
struct Spread {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  bool together = false;
};

/// Launches a kernel on the current device.
template <class... Parameters>
void launch_kernel(void (*kernel)(Parameters...), const Spread& spread,
                   std::type_identity_t<Parameters>... arguments) {
  void* list[] = {&arguments...};
  check(spread.together ? cudaLaunchCooperativeKernel(kernel, spread.blocks, spread.threads, list,
                                                      spread.shared_bytes, nullptr)
                        : cudaLaunchKernel(kernel, spread.blocks, spread.threads, list,
                                           spread.shared_bytes, nullptr),
        "launching a kernel");
}

}  // namespace spodnet::cuda
