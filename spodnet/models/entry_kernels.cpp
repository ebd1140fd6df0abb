#include "spodnet/models/entry_kernels.hpp"

#include <string_view>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

namespace isa_baseline {
extern const EntryKernels entry_table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const EntryKernels entry_table;
}
namespace isa_avx512 {
extern const EntryKernels entry_table;
}
#endif

const EntryKernels& entry_kernels() {
#ifdef SPODNET_X86_64
  const std::string_view chosen = kernels().name;
  if (chosen == isa_avx512::entry_table.name) return isa_avx512::entry_table;
  if (chosen == isa_avx2::entry_table.name) return isa_avx2::entry_table;
#endif
  return isa_baseline::entry_table;
}

}  // namespace spodnet
