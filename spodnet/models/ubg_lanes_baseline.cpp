#define SPODNET_ISA isa_baseline
#define SPODNET_VECTOR_BYTES 16
#define SPODNET_WIDE 2
#define SPODNET_NARROW 2
#include "spodnet/models/ubg_lanes_impl.hpp"
