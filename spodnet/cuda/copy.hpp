#pragma once

#include <cstddef>

namespace spodnet::cuda {

/// Whether an address lies in the memory of a device.
bool on_device(const void* address);

/// Copies numbers between any two of the host's and the device's memory, and waits for it.
void copy(double* to, const double* from, std::size_t numbers);

}  // namespace spodnet::cuda
