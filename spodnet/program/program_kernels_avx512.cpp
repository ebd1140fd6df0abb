#define SPODNET_ISA isa_avx512
#define SPODNET_ISA_NAME "avx512"
#define SPODNET_VECTOR_BYTES 64
#include "spodnet/program/program_kernels_impl.hpp"
