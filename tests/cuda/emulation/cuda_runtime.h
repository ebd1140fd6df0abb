#pragma once
// Stands in for CUDA's header of this name: the kernels of spodnet/cuda, compiled for the CPU. Of
// CUDA it has what they use, and no more (README.md).
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "grid.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__  // nothing: the standard library has __attribute__((__noinline__))
#define __launch_bounds__(...)
#define __grid_constant__

struct double2 {
  double x, y;
};
struct double3 {
  double x, y, z;
};

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline double __ldg(const double* x) { return *x; }

inline void __syncwarp() { spodnet::emulation::meet_warp(); }
inline double __shfl_sync(unsigned mask, double x, int lane) {
  double y = 0;
  spodnet::emulation::exchange(&x, mask == ~0u ? 1 : 0, lane, &y);
  return y;
}

// ---- the runtime
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorUnknown };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMultiProcessorCount };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = void*;
struct cudaDeviceProp {
  char name[64];
  int multiProcessorCount;
  std::size_t totalGlobalMem;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
};

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaMalloc(void** data, std::size_t bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemset2DAsync(void* data, std::size_t pitch, int value, std::size_t width,
                              std::size_t height);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* address);

namespace spodnet::emulation {

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute which, int value);
cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t shared_bytes);
cudaError_t launch(const void* kernel, const GridShape& shape, const std::function<void()>& run);

template <class... Parameters, std::size_t... k>
cudaError_t launch(void (*kernel)(Parameters...), const GridShape& shape, void** arguments,
                   std::index_sequence<k...>) {
  return launch(reinterpret_cast<const void*>(kernel), shape, [=] {
    kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[k])...);
  });
}

}  // namespace spodnet::emulation

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute which, int value) {
  return spodnet::emulation::set_attribute(reinterpret_cast<const void*>(kernel), which, value);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          std::size_t shared_bytes) {
  return spodnet::emulation::occupancy(blocks, reinterpret_cast<const void*>(kernel), threads,
                                       shared_bytes);
}
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                             void** arguments, std::size_t shared_bytes, cudaStream_t) {
  return spodnet::emulation::launch(kernel, {blocks, threads, shared_bytes, false}, arguments,
                                    std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                        void** arguments, std::size_t shared_bytes, cudaStream_t) {
  return spodnet::emulation::launch(kernel, {blocks, threads, shared_bytes, true}, arguments,
                                    std::index_sequence_for<Parameters...>());
}
