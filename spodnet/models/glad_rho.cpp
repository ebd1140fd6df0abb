#include <string_view>

#include "spodnet/core/kernels.hpp"
#include "spodnet/models/glad_kernels.hpp"

namespace spodnet {

namespace isa_baseline {
extern const glad::RhoKernels rho_table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const glad::RhoKernels rho_table;
}
namespace isa_avx512 {
extern const glad::RhoKernels rho_table;
}
#endif

namespace glad {
namespace {

/// Follows the instruction set of the library's kernels.
const RhoKernels& rho_kernels() {
#ifdef SPODNET_X86_64
  const std::string_view chosen = kernels().name;
  if (chosen == isa_avx512::rho_table.name) return isa_avx512::rho_table;
  if (chosen == isa_avx2::rho_table.name) return isa_avx2::rho_table;
#endif
  return isa_baseline::rho_table;
}

}  // namespace

void rho_forward(const double* parameters, const RhoInput& in, double* hidden, double* Z_next) {
  rho_kernels().forward(parameters, in, hidden, Z_next);
}

void rho_backward(const double* parameters, const RhoInput& in, const double* hidden,
                  const double* multiplicity, const double* d_Z_next, double* d_Theta, double* d_Z,
                  double* d_parameters) {
  rho_kernels().backward(parameters, in, hidden, multiplicity, d_Z_next, d_Theta, d_Z,
                         d_parameters);
}

}  // namespace glad
}  // namespace spodnet
