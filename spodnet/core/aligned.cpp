#include "spodnet/core/aligned.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace spodnet {

void* allocate_huge(std::size_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{kHugePage});
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // refused: small pages, no harm
#endif
  return memory;
}

void free_huge(void* memory) { ::operator delete (memory, std::align_val_t{kHugePage}); }

}  // namespace spodnet
