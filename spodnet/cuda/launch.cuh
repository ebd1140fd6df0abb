#pragma once
// How a rule's kernel is launched; one source file per rule instantiates it.
#include <algorithm>
#include <type_traits>

#include "spodnet/cuda/check.cuh"
#include "spodnet/cuda/kernel.cuh"

namespace spodnet::cuda {

/// The kernel of one rule and size, behind functions.
struct WalkLauncher {
  long (*memory)(const WalkShape& shape, int p);
  int (*resident)(const WalkShape& shape, int p);
  void (*run)(const Launch& launch, int p);
};

template <class Rule, int C>
struct WalkKernel {
  /// Threads, shared memory and whether gamma's weights lie in it.
  struct Plan {
    int threads, bytes, at_once;
    bool resident;
  };
  static Plan plan(const WalkShape& shape, int p) {
    int device = 0, limit = 0, multiprocessors = 0, blocks = 0;
    check(cudaGetDevice(&device), "device");
    check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "device");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "device");
    Plan plan{32 * (Block<C>::tile_warps(p) + C), 0, 0, true};
    const auto bytes = [&](bool resident) {
      return 8 * (Block<C>::shared_numbers(p) +
                  Rule::shared_numbers(shape.rule, plan.threads, resident));
    };
    plan.resident = bytes(true) <= limit;
    plan.bytes = bytes(plan.resident);
    if (plan.bytes > limit)
      throw Error("cuda: this model does not fit a multiprocessor (" + std::to_string(plan.bytes) +
                  " bytes of " + std::to_string(limit) + ")");
    const auto kernel = walk_kernel<Rule, C>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.bytes),
          "shared memory");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, plan.threads,
                                                        std::size_t(plan.bytes)),
          "occupancy");
    plan.at_once = std::max(1, blocks) * multiprocessors;
    return plan;
  }

  static long memory(const WalkShape& shape, int p) {
    return WalkMemory::of<Rule>(shape, p, 32 * C).numbers(shape.layers);
  }
  static int resident(const WalkShape& shape, int p) { return plan(shape, p).at_once; }
  static void run(const Launch& launch, int p) {
    const Plan at = plan(launch.shape, p);
    const int blocks = launch.keep ? launch.count : std::min(launch.count, at.at_once);
    walk_kernel<Rule, C><<<unsigned(blocks), unsigned(at.threads), std::size_t(at.bytes)>>>(
        launch, memory(launch.shape, p), at.resident);
    check(cudaGetLastError(), "launching a walk");
  }
  static constexpr WalkLauncher launcher() { return {memory, resident, run}; }
};

/// The kernel of the least size that holds p.
template <template <int> class Rule>
WalkLauncher launcher_of(int p) {
  if (p <= Block<1>::kMostP) return WalkKernel<Rule<1>, 1>::launcher();
  if (p <= Block<2>::kMostP) return WalkKernel<Rule<2>, 2>::launcher();
  return WalkKernel<Rule<4>, 4>::launcher();
}

// One source file each.
WalkLauncher ubg_walk(int p);
WalkLauncher pnp_walk(int p);
WalkLauncher e2e_walk(int p);
WalkLauncher ubg_any_walk(int p);
WalkLauncher pnp_any_walk(int p);

}  // namespace spodnet::cuda
