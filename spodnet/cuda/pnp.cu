#include "spodnet/cuda/launch.cuh"
#include "spodnet/cuda/paper_walk.cuh"

namespace spodnet::cuda {

WalkLauncher pnp_walk(int p) { return launcher_of<PnpWalk>(p); }

}  // namespace spodnet::cuda
