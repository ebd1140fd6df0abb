#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

/// As in CUDA.
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;  ///< of the thread that runs

// One launch of a kernel on the CPU. Every thread is a fiber; a warp runs until all its lanes wait
// for each other or for others, then the next warp is chosen. One launch runs at a time.
namespace spodnet::emulation {

struct GridShape {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  bool together = false;  ///< all blocks are alive at once
};

inline double* shared_memory = nullptr;  ///< of the block that runs

/// Runs a kernel to its end. Returns what went wrong, with its place: a deadlock, lanes of a warp
/// that wait for different things, a barrier that is used wrongly; empty: nothing.
std::string run_grid(const GridShape& shape, const std::function<void()>& kernel);

/// The order of warps, blocks and lanes: 0 takes turns, others are random. Results must not depend
/// on it. SPODNET_EMULATION_SEED of the environment is added.
void set_seed(std::uint64_t seed);

// ---- what the threads of a kernel call

/// All lanes of the warp meet.
void meet_warp();
/// They meet, and y becomes the `count` numbers x of lane `from`.
void exchange(const double* x, int count, int from, double* y);
/// bar.sync and bar.arrive, of whole warps.
void wait_barrier(int id, int threads);
void arrive_barrier(int id, int threads);
/// One more on a counter of global memory, and until one has come to `target`.
void count_up(unsigned* counter);
void wait_counter(const unsigned* counter, unsigned target);
/// cp.async: the number is not there before `finish_copies`, the last moment that is allowed; until
/// then its place holds a NaN.
void copy_ahead(double* to, const double* from);
void finish_copies();

}  // namespace spodnet::emulation
