#include "spodnet/models/ubg_lanes.hpp"

#include <cstring>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

namespace isa_baseline {
extern const LanesKernels lanes_table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const LanesKernels lanes_table;
}
namespace isa_avx512 {
extern const LanesKernels lanes_table;
}
#endif

const LanesKernels& lanes_kernels() {
#ifdef SPODNET_X86_64
  const char* name = kernels().name;
  if (std::strcmp(name, "avx512") == 0) return isa_avx512::lanes_table;
  if (std::strcmp(name, "avx2") == 0) return isa_avx2::lanes_table;
#endif
  return isa_baseline::lanes_table;
}

std::size_t lanes_scratch(const UbgShape& s, std::size_t layers, std::size_t lanes) {
  const std::size_t p = s.p, triangle = p * (p + 1) / 2;
  const std::size_t sums =
      2 * s.gamma_hidden + 1 + 2 * s.lambda_hidden + s.g_hidden * (s.g_hidden + 6) + 1;
  const std::size_t tape = triangle + 6 * p * p + p * s.gamma_hidden + 9 * p;
  const std::size_t numbers = 3 * triangle + 6 * p + sums + layers * (tape + 16);
  return (numbers + 16) * lanes;
}

}  // namespace spodnet
