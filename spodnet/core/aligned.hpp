#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace spodnet {

/// Memory of at least this much is aligned to it, and asked of the system in pages of this size
/// where it has them: a sweep over a large matrix then does not wait for addresses.
constexpr std::size_t kHugePage = std::size_t{1} << 21;
void* allocate_huge(std::size_t bytes);
void free_huge(void* memory);

/// Allocates at 64 bytes: one cache line, one AVX-512 vector.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    return static_cast<T*>(bytes < kHugePage ? ::operator new (bytes, std::align_val_t{64})
                                             : allocate_huge(bytes));
  }
  void deallocate(T* x, std::size_t n) {
    if (n * sizeof(T) < kHugePage)
      ::operator delete (x, std::align_val_t{64});
    else
      free_huge(x);
  }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace spodnet
