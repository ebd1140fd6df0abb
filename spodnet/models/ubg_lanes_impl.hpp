// UBG with one matrix per vector lane, compiled once per instruction set inside that set's own
// namespace; nothing inline is shared between files with different flags.
#include "spodnet/models/ubg_lanes.hpp"

#include "spodnet/core/formulas.hpp"

namespace spodnet {
namespace SPODNET_ISA {

#include "spodnet/models/number.hpp"

#include "spodnet/models/algebra.hpp"

#include "spodnet/models/perceptrons.hpp"

#include "spodnet/models/ubg_forward.hpp"

#include "spodnet/models/ubg_backward.hpp"

extern const LanesKernels lanes_table;
const LanesKernels lanes_table = {SPODNET_WIDE, SPODNET_NARROW, run_lanes<SPODNET_WIDE>,
                                  run_lanes<SPODNET_NARROW>};

}  // namespace SPODNET_ISA
}  // namespace spodnet
