#define SPODNET_ISA isa_avx2
#define SPODNET_VECTOR_BYTES 32
#define SPODNET_WIDE 4
#define SPODNET_NARROW 4
#include "spodnet/models/ubg_lanes_impl.hpp"
