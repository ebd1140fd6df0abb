#include "spodnet/cuda/launch.cuh"
#include "spodnet/cuda/paper_walk.cuh"

namespace spodnet::cuda {

WalkLauncher e2e_walk(int p) { return launcher_of<E2eWalk>(p); }

}  // namespace spodnet::cuda
