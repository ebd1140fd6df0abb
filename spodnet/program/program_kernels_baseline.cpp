#define SPODNET_ISA isa_baseline
#define SPODNET_ISA_NAME "baseline"
#define SPODNET_VECTOR_BYTES 16
#include "spodnet/program/program_kernels_impl.hpp"
