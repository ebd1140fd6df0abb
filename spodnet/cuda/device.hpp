#pragma once

#include <cstddef>
#include <string>

#include "spodnet/cuda/walk.hpp"

// What the engine asks of a device, without a CUDA type. Errors of the device are thrown as
// spodnet::Error with the driver's words.
namespace spodnet::cuda {

/// Number of usable devices; 0 without a driver.
int device_count();
std::string device_description(int device);
/// The calling thread's device from now on.
void use_device(int device);
void synchronize();

class HostMemory;

/// Memory of the device, which grows and is not initialised.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void reserve(std::size_t bytes);
  void upload(const void* from, std::size_t bytes, std::size_t offset = 0);
  void download(void* to, std::size_t bytes, std::size_t offset = 0) const;

  /// Copies that go on while the host does, in the order of launches; `synchronize` waits for them.
  /// `to` lies in a HostMemory.
  void begin_upload(const HostMemory& from, std::size_t bytes);
  void begin_download(void* to, std::size_t bytes) const;

  double* numbers() const { return static_cast<double*>(data_); }
  void* get() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Memory of the host that is copied fast; it grows and is not initialised.
class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void reserve(std::size_t bytes);
  double* numbers() const { return static_cast<double*>(data_); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Beyond it vectors of a matrix no longer fit a multiprocessor.
constexpr int kLargestP = 6000;

/// Matrices of the same class can walk in one launch: the kernel, and the blocks a matrix takes.
int size_class(int p, bool backward);
/// Whether the device can walk a matrix of this size; `backward`: and go back over it.
bool fits(const WalkShape& shape, int p, bool backward);
/// Numbers of global memory that one matrix needs while it walks.
long walk_numbers(const WalkShape& shape, int p, bool backward);
/// How many matrices walk at a time.
int walks_at_once(const WalkShape& shape, int p, bool backward);
/// Numbers that the transposed weights of all layers take, and the transposition.
long transposed_numbers(const WalkShape& shape);
void transpose_weights(const WalkShape& shape, const double* weights, double* transposed);

/// Walks the launch's matrices, all of one size class; `largest` is the largest p.
void walk(const Launch& launch, int largest);

/// out[part][k] = the sum of rows [first(part), first(part) + counts) of `rows` (row stride
/// `parameters`), in index order; parts of kPartSize rows. Then total = the sum of the parts.
constexpr int kPartSize = 8;
void sum_rows(const double* rows, int count, int parameters, double* parts, double* total);

}  // namespace spodnet::cuda
