#define SPODNET_ISA isa_avx512
#define SPODNET_VECTOR_BYTES 64
#define SPODNET_WIDE 8
#define SPODNET_NARROW 4
#include "spodnet/models/ubg_lanes_impl.hpp"
