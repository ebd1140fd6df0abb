#pragma once

#include <cstdint>

namespace spodnet {

// Tensors of torch come as addresses, 0 for none: the caller keeps them alive, contiguous and
// float64.
using Address = std::uintptr_t;

inline double* numbers(Address address) { return reinterpret_cast<double*>(address); }

}  // namespace spodnet
