#include "spodnet/tables/level_kernels.hpp"

#include <string_view>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

namespace isa_baseline {
extern const LevelKernels level_table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const LevelKernels level_table;
}
namespace isa_avx512 {
extern const LevelKernels level_table;
}
#endif

const LevelKernels& level_kernels() {
#ifdef SPODNET_X86_64
  const std::string_view chosen = kernels().name;
  if (chosen == isa_avx512::level_table.name) return isa_avx512::level_table;
  if (chosen == isa_avx2::level_table.name) return isa_avx2::level_table;
#endif
  return isa_baseline::level_table;
}

}  // namespace spodnet
