#pragma once

#include <cstddef>

namespace spodnet::emulation {

/// Memory full of NaNs (bytes 0xff) that ends where inaccessible pages begin, and starts
/// at a multiple of 16 less than a page after others.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Makes it unwritten again.
  void poison();

 private:
  std::size_t bytes_, mapped_;
  char *base_, *data_;
};

/// From now on an access to such pages is said in words before the program dies.
void report_faults();

}  // namespace spodnet::emulation
