#include "spodnet/cuda/any_walk.cuh"
#include "spodnet/cuda/launch.cuh"

namespace spodnet::cuda {

WalkLauncher consistent_any_walk(int p) { return launcher_of<ConsistentAnyWalk>(p); }

}  // namespace spodnet::cuda
