#include "spodnet/cuda/copy.hpp"

#include "spodnet/cuda/check.cuh"

namespace spodnet::cuda {

bool on_device(const void* address) {
  cudaPointerAttributes about{};
  if (cudaPointerGetAttributes(&about, address) != cudaSuccess) {
    cudaGetLastError();  // an address that the driver does not know is the host's
    return false;
  }
  return about.type == cudaMemoryTypeDevice || about.type == cudaMemoryTypeManaged;
}

void copy(double* to, const double* from, std::size_t numbers) {
  check(cudaMemcpy(to, from, numbers * sizeof(double), cudaMemcpyDefault), "copying matrices");
}

}  // namespace spodnet::cuda
