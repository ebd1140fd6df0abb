#include "spodnet/cuda/device.hpp"

#include <map>
#include <utility>

#include "spodnet/cuda/check.cuh"
#include "spodnet/cuda/launch.cuh"

namespace spodnet::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(std::string("cuda: ") + what + ": " + cudaGetErrorString(status));
}

void allow_shared_memory(const void* kernel, int bytes) {
  static std::mutex guard;
  static std::map<std::pair<int, const void*>, int> allowed;  // of (device, kernel)
  int device = 0;
  check(cudaGetDevice(&device), "the current GPU");
  const std::lock_guard lock(guard);
  int& most = allowed[{device, kernel}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory");
  most = bytes;
}

DeviceLimits::DeviceLimits() {
  static std::mutex guard;
  static std::map<int, std::pair<int, int>> known;
  int device = 0;
  check(cudaGetDevice(&device), "the current GPU");
  const std::lock_guard lock(guard);
  auto& [bytes, processors] = known[device];
  if (processors == 0) {
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  }
  shared_bytes = bytes, multiprocessors = processors;
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver is no error
    return 0;
  }
  return count;
}

std::string device_description(int device) {
  cudaDeviceProp prop;
  check(cudaGetDeviceProperties(&prop, device), "properties");
  return std::string(prop.name) + ", " + std::to_string(prop.multiProcessorCount) +
         " multiprocessors, " + std::to_string(prop.totalGlobalMem >> 30) + " GB";
}

void use_device(int device) { check(cudaSetDevice(device), "choosing the device"); }
void synchronize() { check(cudaDeviceSynchronize(), "a kernel"); }

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

void DeviceMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  cudaFree(data_);
  data_ = nullptr, bytes_ = 0;
  check(cudaMalloc(&data_, bytes), "allocating memory");
  bytes_ = bytes;
}
void DeviceMemory::upload(const void* from, std::size_t bytes, std::size_t offset) {
  check(cudaMemcpy(static_cast<char*>(data_) + offset, from, bytes, cudaMemcpyHostToDevice),
        "copying to the device");
}
void DeviceMemory::download(void* to, std::size_t bytes, std::size_t offset) const {
  check(cudaMemcpy(to, static_cast<const char*>(data_) + offset, bytes, cudaMemcpyDeviceToHost),
        "copying from the device");
}

void DeviceMemory::begin_upload(const HostMemory& from, std::size_t bytes) {
  check(cudaMemcpyAsync(data_, from.get(), bytes, cudaMemcpyHostToDevice, nullptr),
        "copying to the device");
}
void DeviceMemory::begin_download(void* to, std::size_t bytes) const {
  check(cudaMemcpyAsync(to, data_, bytes, cudaMemcpyDeviceToHost, nullptr),
        "copying from the device");
}

HostMemory::~HostMemory() { cudaFreeHost(data_); }

void HostMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  cudaFreeHost(data_);
  data_ = nullptr, bytes_ = 0;
  check(cudaMallocHost(&data_, bytes), "allocating memory of the host");
  bytes_ = bytes;
}

int size_class(int p, bool backward) {
  return p <= Block<1>::kMostP   ? 0
         : p <= Block<2>::kMostP ? 1
         : p <= Block<4>::kMostP ? 2
                                 : 2 + group_blocks(p, backward);
}

namespace {

WalkLauncher launcher(const RuleAt& rule, int p) {
  switch (rule.kind) {
    case RuleKind::ubg:
      return ubg_walk(p);
    case RuleKind::pnp:
      return pnp_walk(p);
    case RuleKind::e2e:
      return e2e_walk(p);
    case RuleKind::ubg_any:
      return ubg_any_walk(p);
    case RuleKind::pnp_any:
      return pnp_any_walk(p);
    default:
      return consistent_any_walk(p);
  }
}

/// to (columns x rows) = from' (rows x columns).
__global__ void transpose(int rows, int columns, const double* from, double* to) {
  for (int k = int(blockIdx.x * blockDim.x + threadIdx.x); k < rows * columns;
       k += int(gridDim.x * blockDim.x))
    to[k] = from[k % rows * columns + k / rows];
}

void transpose_of(int rows, int columns, const double* from, double*& to) {
  if (rows * columns == 0) return;
  const auto blocks = unsigned(std::min(264, (rows * columns + 255) / 256));
  launch_kernel(transpose, {.blocks = blocks, .threads = 256}, rows, columns, from, to);
  to += long(rows) * columns;
}

/// Each thread one parameter: rows of a part in index order, or all parts.
__global__ void add_rows(const double* rows, int count, int each, int parameters, double* out) {
  const int k = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= parameters) return;
  const int first = int(blockIdx.y) * each, end = min(count, first + each);
  double s = 0;
#pragma unroll 8
  for (int r = first; r < end; ++r) s += rows[long(r) * parameters + k];
  out[long(blockIdx.y) * parameters + k] = s;
}

}  // namespace

bool fits(const WalkShape& shape, int p, bool backward) {
  return p >= 1 && launcher(shape.rule, p).fits(shape, p, backward);
}
long walk_numbers(const WalkShape& shape, int p, bool backward) {
  return launcher(shape.rule, p).memory(shape, p, backward);
}
int walks_at_once(const WalkShape& shape, int p, bool backward) {
  return launcher(shape.rule, p).at_once(shape, p, backward);
}
void walk(const Launch& launch, int largest) {
  if (launch.count > 0) launcher(launch.shape.rule, largest).run(launch, largest);
}

long transposed_numbers(const WalkShape& shape) {
  return long(shape.tied ? 1 : shape.layers) * transposed_numbers(shape.rule);
}

void transpose_weights(const WalkShape& shape, const double* weights, double* transposed) {
  const RuleAt& at = shape.rule;
  if (transposed_numbers(at) == 0) return;
  for (int k = 0; k < (shape.tied ? 1 : shape.layers); ++k) {
    const double* layer = weights + long(k) * at.size;
    transpose_of(at.gamma.hidden, at.gamma.in, layer + at.gamma.A1, transposed);
    transpose_of(at.map.hidden, at.map.in, layer + at.map.A1, transposed);
    transpose_of(at.map.in, at.map.hidden, layer + at.map.A2, transposed);
  }
}

void sum_rows(const double* rows, int count, int parameters, double* parts, double* total) {
  const auto blocks = unsigned((parameters + 127) / 128);
  const int n = (count + kPartSize - 1) / kPartSize;
  launch_kernel(add_rows, {.blocks = {blocks, unsigned(n)}, .threads = 128}, rows, count, kPartSize,
                parameters, parts);
  if (total)
    launch_kernel(add_rows, {.blocks = blocks, .threads = 128}, parts, n, n, parameters, total);
}

}  // namespace spodnet::cuda
