#include "spodnet/cuda/any_walk.cuh"
#include "spodnet/cuda/launch.cuh"

namespace spodnet::cuda {

WalkLauncher pnp_any_walk(int p) { return launcher_of<PnpAnyWalk>(p); }

}  // namespace spodnet::cuda
