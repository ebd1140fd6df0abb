#include "spodnet/cuda/launch.cuh"
#include "spodnet/cuda/paper_walk.cuh"

namespace spodnet::cuda {

WalkLauncher ubg_walk(int p) { return launcher_of<UbgWalk>(p); }

}  // namespace spodnet::cuda
