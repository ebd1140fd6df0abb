#pragma once
// spodnet/cuda/ptx.cuh without a GPU.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "grid.hpp"

namespace spodnet::cuda {

using emulation::shared_memory;

/// What the GPU keeps of a number in its rough functions: 32 bits, and no subnormal.
inline double upper_half(double x) {
  if (std::fabs(x) < std::numeric_limits<double>::min()) return std::copysign(0.0, x);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u);
}
inline double rough_reciprocal(double a) { return upper_half(1 / upper_half(a)); }
inline double rough_inverse_root(double a) { return upper_half(1 / std::sqrt(upper_half(a))); }

template <int N>
inline void exchange(const double (&x)[N], int other, double (&y)[N]) {
  emulation::exchange(x, N, int(threadIdx.x % 32) ^ other, y);
}

inline void block_barrier() { emulation::wait_barrier(0, int(blockDim.x)); }
inline void wait_barrier(int id, int threads) { emulation::wait_barrier(id, threads); }
inline void arrive_barrier(int id, int threads) { emulation::arrive_barrier(id, threads); }

inline void count_for_others(unsigned* counter) { emulation::count_up(counter); }
inline void wait_for_others(const unsigned* counter, unsigned target) {
  emulation::wait_counter(counter, target);
}

inline void copy_ahead(double* to, const double* from) { emulation::copy_ahead(to, from); }
inline void end_copy_ahead() {}
inline void wait_copy_ahead() { emulation::finish_copies(); }

}  // namespace spodnet::cuda
