#include "spodnet/program/program_kernels.hpp"

#include <string_view>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

namespace isa_baseline {
extern const ProgramKernels program_table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const ProgramKernels program_table;
}
namespace isa_avx512 {
extern const ProgramKernels program_table;
}
#endif

const ProgramKernels& program_kernels() {
#ifdef SPODNET_X86_64
  const std::string_view chosen = kernels().name;
  if (chosen == isa_avx512::program_table.name) return isa_avx512::program_table;
  if (chosen == isa_avx2::program_table.name) return isa_avx2::program_table;
#endif
  return isa_baseline::program_table;
}

}  // namespace spodnet
