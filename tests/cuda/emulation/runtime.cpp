// The runtime's calls, for one device that is no device.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "cuda_runtime.h"
#include "guarded_memory.hpp"

namespace {

using spodnet::emulation::GuardedMemory;

// As an H200, with few multiprocessors: so small batches, too, come to more than one round.
constexpr int kMultiprocessors = 4, kMostShared = 227 << 10, kAllShared = 228 << 10;
constexpr int kUsualShared = 48 << 10, kReservedShared = 1 << 10, kMostThreads = 2048;
constexpr int kMostBlocks = 32;

std::mutex guard;
std::map<const char*, std::unique_ptr<GuardedMemory>> memories;  ///< by where they end
std::map<const void*, int> shared_limits;                        ///< of kernels
thread_local std::string failure;                                ///< of the last launch
thread_local cudaError_t last = cudaSuccess;

cudaError_t fails(cudaError_t status, const std::string& why) {
  failure = why;
  return last = status;
}

/// The memory that an address is in.
const GuardedMemory* memory_of(const void* address, std::size_t bytes) {
  const std::lock_guard lock(guard);
  const char* const first = static_cast<const char*>(address);
  const auto found = memories.upper_bound(first);
  if (found == memories.end()) return nullptr;
  const GuardedMemory& memory = *found->second;
  return first >= memory.data() && first + bytes <= found->first ? &memory : nullptr;
}

int shared_limit(const void* kernel) {
  const std::lock_guard lock(guard);
  const auto found = shared_limits.find(kernel);
  return found == shared_limits.end() ? kUsualShared : std::max(found->second, kUsualShared);
}

}  // namespace

const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaSuccess ? "no error" : failure.c_str();
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int) {
  *about = {"emulated GPU", kMultiprocessors, std::size_t(1) << 30};
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fails(cudaErrorInvalidValue, "there is one device");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrMultiProcessorCount ? kMultiprocessors : kMostShared;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  auto memory = std::make_unique<GuardedMemory>(bytes);
  *data = memory->data();
  const std::lock_guard lock(guard);
  const char* const end = memory->data() + bytes;
  memories[end] = std::move(memory);
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (!data) return cudaSuccess;
  const std::lock_guard lock(guard);
  const auto found = memories.upper_bound(static_cast<const char*>(data));
  if (found == memories.end() || found->second->data() != data)
    return fails(cudaErrorInvalidValue, "this was not allocated");
  memories.erase(found);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  *data = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) { return std::free(data), cudaSuccess; }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if ((kind == cudaMemcpyHostToDevice && !memory_of(to, bytes)) ||
      (kind == cudaMemcpyDeviceToHost && !memory_of(from, bytes)))
    return fails(cudaErrorInvalidValue, "a copy beyond the device's memory");
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset2DAsync(void* data, std::size_t pitch, int value, std::size_t width,
                              std::size_t height) {
  for (std::size_t k = 0; k < height; ++k)
    if (memory_of(static_cast<char*>(data) + k * pitch, width))
      std::memset(static_cast<char*>(data) + k * pitch, value, width);
    else
      return fails(cudaErrorInvalidValue, "clearing beyond the device's memory");
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* address) {
  about->type = memory_of(address, 1) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

namespace spodnet::emulation {

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute, int value) {
  if (value > kMostShared) return fails(cudaErrorInvalidValue, "more shared memory than there is");
  const std::lock_guard lock(guard);
  shared_limits[kernel] = value;
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t shared_bytes) {
  *blocks = 0;
  if (int(shared_bytes) > shared_limit(kernel)) return cudaSuccess;
  *blocks = std::min(
      {kMostThreads / threads, kMostBlocks, kAllShared / (int(shared_bytes) + kReservedShared)});
  return cudaSuccess;
}

cudaError_t launch(const void* kernel, const GridShape& shape, const std::function<void()>& run) {
  static std::mutex one;
  const std::lock_guard lock(one);  // first: what was allowed meanwhile counts
  if (int(shape.shared_bytes) > shared_limit(kernel))
    return fails(cudaErrorInvalidValue, "more shared memory than the kernel was allowed");
  int each = 0;
  (void)occupancy(&each, kernel, int(shape.threads.x), shape.shared_bytes);
  if (shape.together && int(shape.blocks.x) > each * kMultiprocessors)
    return fails(cudaErrorInvalidValue, "more blocks than can be alive at once");
  report_faults();
  const std::string wrong = run_grid(shape, run);
  return wrong.empty() ? cudaSuccess : fails(cudaErrorUnknown, "emulated GPU: " + wrong);
}

}  // namespace spodnet::emulation
