#pragma once
// How a rule's kernels are launched; one source file per rule instantiates them.
#include <algorithm>
#include <mutex>

#include "spodnet/cuda/check.cuh"
#include "spodnet/cuda/kernel.cuh"

namespace spodnet::cuda {

/// The kernel of one rule and size, behind functions. `backward`: the walk is gone back over.
struct WalkLauncher {
  bool (*fits)(const WalkShape& shape, int p, bool backward);
  long (*memory)(const WalkShape& shape, int p, bool backward);
  int (*at_once)(const WalkShape& shape, int p, bool backward);
  void (*run)(const Launch& launch, int p);
};

/// What the current device has; asked for once.
struct DeviceLimits {
  int shared_bytes = 0, multiprocessors = 0;

  DeviceLimits();
};

/// Lets launches of a kernel on the current device have so many bytes of shared memory each. It
/// never takes any back: other threads launch it, too, with more or with less.
void allow_shared_memory(const void* kernel, int bytes);
template <class Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes);
}

/// How many blocks of a kernel a device holds at once; the last answer is remembered.
class OccupancyOf {
 public:
  template <class Kernel>
  int blocks(Kernel* kernel, int threads, int bytes) {
    int device = 0, each = 0;
    check(cudaGetDevice(&device), "the current GPU");
    const std::lock_guard lock(once_);
    if (device_ == device && bytes_ == bytes && threads_ == threads) return known_;
    allow_shared_memory(kernel, bytes);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, std::size_t(bytes)),
          "occupancy");
    device_ = device, bytes_ = bytes, threads_ = threads;
    return known_ = std::max(1, each) * DeviceLimits().multiprocessors;
  }

 private:
  std::mutex once_;
  int device_ = -1, bytes_ = -1, threads_ = -1, known_ = 0;
};

/// One matrix in one multiprocessor.
template <class Rule, int C>
struct WalkKernel {
  /// Threads, shared memory and whether gamma's weights lie in it.
  struct Plan {
    int threads, bytes;
    bool resident, fits;
  };
  static Plan plan(const WalkShape& shape, int p) {
    const DeviceLimits limits;
    Plan plan{32 * (Block<C>::tile_warps(p) + C), 0, true, true};
    const auto bytes = [&](bool resident) {
      return 8 * (Block<C>::shared_numbers(p) +
                  Rule::shared_numbers(shape.rule, plan.threads, resident));
    };
    plan.resident = bytes(true) <= limits.shared_bytes;
    plan.bytes = bytes(plan.resident);
    plan.fits = plan.bytes <= limits.shared_bytes;
    return plan;
  }
  static bool fits(const WalkShape& shape, int p, bool) { return plan(shape, p).fits; }
  static long memory(const WalkShape& shape, int p, bool backward) {
    return WalkMemory::of<Rule>(shape, p, 32 * C, 0).numbers(backward ? shape.layers : 1);
  }
  static int at_once(const WalkShape& shape, int p, bool) {
    static OccupancyOf known;
    const Plan at = plan(shape, p);
    return known.blocks(walk_kernel<Rule, C>, at.threads, at.bytes);
  }
  static void run(const Launch& launch, int p) {
    const Plan at = plan(launch.shape, p);
    const bool tapes = launch.backward || launch.keep;
    const int most = at_once(launch.shape, p, tapes);
    const int blocks = launch.keep ? launch.count : std::min(launch.count, most);
    launch_kernel(walk_kernel<Rule, C>,
                  {.blocks = unsigned(blocks),
                   .threads = unsigned(at.threads),
                   .shared_bytes = std::size_t(at.bytes)},
                  launch, memory(launch.shape, p, tapes), at.resident);
  }
  static constexpr WalkLauncher launcher() { return {fits, memory, at_once, run}; }
};

/// Blocks that walk one matrix together: so many that most of W lies in their shared memory, and at
/// most 32 in trainings up to p = 1024, where several matrices walk at once. Estimates of more than
/// 800 variables take what there is: so each is done soonest, and many are not done later.
inline int group_blocks(int p, bool backward) {
  constexpr long kBytesEach = 245000;
  const int least = (p + GroupBlock::kSlots - 1) / GroupBlock::kSlots;
  const int all = std::min(128, DeviceLimits().multiprocessors);
  if (!backward && p > 800) return std::max(least, all);
  const int blocks = int((8L * p * even(p) + kBytesEach - 1) / kBytesEach);
  return std::max(least, std::min(blocks, p <= 1024 ? 32 : all));
}

/// One matrix in many multiprocessors.
template <class Rule>
struct GroupKernel {
  static int bytes(const WalkShape& shape, int p, bool backward) {
    return 8 * (even(GroupBlock::shared_numbers(p, backward)) +
                even(Rule::shared_numbers(shape.rule, group_blocks(p, backward), false)));
  }
  static bool fits(const WalkShape& shape, int p, bool backward) {
    const DeviceLimits limits;
    return bytes(shape, p, backward) <= limits.shared_bytes &&
           group_blocks(p, backward) <= limits.multiprocessors;
  }
  static long memory(const WalkShape& shape, int p, bool backward) {
    const GroupLayout on(shape, p, group_blocks(p, backward));
    return WalkMemory::of<Rule>(shape, p, GroupBlock::tape_stride(p), on.size)
        .numbers(backward ? shape.layers : 1);
  }
  static int at_once(const WalkShape&, int p, bool backward) {
    return DeviceLimits().multiprocessors / group_blocks(p, backward);
  }
  static void run(const Launch& launch, int p) {
    const bool tapes = launch.backward || launch.keep;
    const int blocks = group_blocks(p, tapes), fixed = bytes(launch.shape, p, tapes);
    const int rows = std::min(GroupBlock::rows_each(p, blocks),
                              (DeviceLimits().shared_bytes - fixed) / (8 * even(p)));
    const int all = fixed + rows * 8 * even(p);
    const int groups = std::min(launch.count, at_once(launch.shape, p, tapes));
    const long numbers = memory(launch.shape, p, tapes);
    check(cudaMemset2DAsync(launch.memory, std::size_t(numbers) * 8, 0, 8 * GroupLayout::kHeader,
                            std::size_t(groups)),
          "clearing memory");
    allow_shared_memory(group_kernel<Rule>, all);
    launch_kernel(group_kernel<Rule>,
                  {.blocks = unsigned(groups * blocks),
                   .threads = 32 * GroupBlock::kWarps,
                   .shared_bytes = std::size_t(all),
                   .together = true},
                  launch, numbers, blocks, rows);
  }
  static constexpr WalkLauncher launcher() { return {fits, memory, at_once, run}; }
};

/// The kernel of the least size that holds p.
template <template <class> class Rule>
WalkLauncher launcher_of(int p) {
  if (p <= Block<1>::kMostP) return WalkKernel<Rule<Block<1>>, 1>::launcher();
  if (p <= Block<2>::kMostP) return WalkKernel<Rule<Block<2>>, 2>::launcher();
  if (p <= Block<4>::kMostP) return WalkKernel<Rule<Block<4>>, 4>::launcher();
  return GroupKernel<Rule<GroupBlock>>::launcher();
}

// One source file each.
WalkLauncher ubg_walk(int p);
WalkLauncher pnp_walk(int p);
WalkLauncher e2e_walk(int p);
WalkLauncher ubg_any_walk(int p);
WalkLauncher pnp_any_walk(int p);
WalkLauncher consistent_any_walk(int p);

}  // namespace spodnet::cuda
