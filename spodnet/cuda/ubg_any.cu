#include "spodnet/cuda/any_walk.cuh"
#include "spodnet/cuda/launch.cuh"

namespace spodnet::cuda {

WalkLauncher ubg_any_walk(int p) { return launcher_of<UbgAnyWalk>(p); }

}  // namespace spodnet::cuda
