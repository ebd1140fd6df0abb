#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace spodnet {

/// Allocates at 64 bytes: one cache line, one AVX-512 vector.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* x, std::size_t) { ::operator delete (x, std::align_val_t{64}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace spodnet
