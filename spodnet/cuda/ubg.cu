#include "spodnet/cuda/launch.cuh"
#include "spodnet/cuda/paper_walk.cuh"
#include "spodnet/cuda/warp_walk.cuh"

namespace spodnet::cuda {

WalkLauncher ubg_walk(int p) {
  return p <= Block<1>::kMostP ? warp_walk_or<WalkKernel<UbgWalk<Block<1>>, 1>>()
                               : launcher_of<UbgWalk>(p);
}

}  // namespace spodnet::cuda
