#pragma once
// One warp a matrix, as the launches see it; warp_walk.cu has the kernels.
#include "spodnet/cuda/launch.cuh"

namespace spodnet::cuda {

/// Whether one warp a matrix can do this launch: UBG of up to 32 variables and of the usual widths,
/// one layer or tied layers, with a fixed offset, in one go (no tapes that are kept for a backward
/// of its own); every scaling.
bool warp_walk_takes(const Launch& launch, int p);

/// The launcher's functions, for shapes that `fits` takes; warp_walk.cu.
struct WarpLauncher {
  static bool fits(const WalkShape& shape, int p);
  static long memory(const WalkShape& shape, int p, bool backward);
  static int at_once(int p);
  static void run(const Launch& launch, int p);
};

/// One warp a matrix where it can, else `General`; there is room for either.
template <class General>
WalkLauncher warp_walk_or() {
  return {
      General::fits,
      [](const WalkShape& shape, int p, bool backward) {
        const long general = General::memory(shape, p, backward);
        if (!WarpLauncher::fits(shape, p)) return general;
        return std::max(general, WarpLauncher::memory(shape, p, backward));
      },
      [](const WalkShape& shape, int p, bool backward) {
        const int general = General::at_once(shape, p, backward);
        if (!WarpLauncher::fits(shape, p)) return general;
        return std::max(general, WarpLauncher::at_once(p));
      },
      [](const Launch& launch, int p) {
        if (warp_walk_takes(launch, p))
          WarpLauncher::run(launch, p);
        else
          General::run(launch, p);
      },
  };
}

}  // namespace spodnet::cuda
