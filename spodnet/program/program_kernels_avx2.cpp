#define SPODNET_ISA isa_avx2
#define SPODNET_ISA_NAME "avx2"
#define SPODNET_VECTOR_BYTES 32
#include "spodnet/program/program_kernels_impl.hpp"
