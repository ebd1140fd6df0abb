#pragma once
// What CUDA's C++ has no words for: instructions of the GPU, and its shared memory. Tests without a
// GPU put an emulation in their place (tests/cuda/emulation).
#include <cuda_runtime.h>

#ifdef SPODNET_EMULATED_GPU
#include <emulated_ptx.hpp>
#else

namespace spodnet::cuda {

/// Of a block; as many numbers as its launch asked for.
extern __shared__ __align__(16) double shared_memory[];

/// 1 / a and 1 / sqrt(a) to about 20 bits; subnormal numbers count as 0.
__device__ __forceinline__ double rough_reciprocal(double a) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  return r;
}
__device__ __forceinline__ double rough_inverse_root(double a) {
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  return r;
}

/// y[k] = x[k] of the lane whose number differs in the bits of `other`. All lanes call it.
template <int N>
__device__ __forceinline__ void exchange(const double (&x)[N], int other, double (&y)[N]) {
#pragma unroll
  for (int k = 0; k < N; ++k) y[k] = __shfl_xor_sync(0xffffffffu, x[k], other);
}

/// Of the whole block; warps may wait at different places of the program.
__device__ __forceinline__ void block_barrier() { asm volatile("bar.sync 0;" ::: "memory"); }

/// Barrier `id` (1 ... 15) of `threads` threads: wait for all, or only say that one is here.
__device__ __forceinline__ void wait_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void arrive_barrier(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Adds one to a counter in global memory that other blocks wait for; what was written before is
/// seen by them after their wait.
__device__ __forceinline__ void count_for_others(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
/// Until the counter has come to `target`; it may wrap.
__device__ __forceinline__ void wait_for_others(const unsigned* counter, unsigned target) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
  } while (int(seen - target) < 0);
}

/// Copies a number from global to shared memory while the thread goes on; it takes it after a wait.
__device__ __forceinline__ void copy_ahead(double* to, const double* from) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
}
__device__ __forceinline__ void end_copy_ahead() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ __forceinline__ void wait_copy_ahead() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

}  // namespace spodnet::cuda
#endif
