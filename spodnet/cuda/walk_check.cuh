#pragma once
// Walks that have been run in emulation only: the first time, their results are compared.
#include "spodnet/cuda/walk.hpp"
#include "spodnet/cuda/walk_trust.hpp"

namespace spodnet::cuda {

/// A walk for some launches beside the general one, which does all.
struct FastWalk {
  int size;  ///< of its kernel
  void (*run)(const Launch& launch, int p);
  void (*general)(const Launch& launch, int p);
};

/// Does a launch by the fast walk. The first of its kind (launch.trust) is done by the general walk
/// as well. Where results differ by more than 1e-9 relative the general ones count, and the next
/// launch is compared; the third that differs is an Error. To be taken out, callers calling
/// `fast.run`, once the fast walks have been run on a GPU.
void run_checked(const FastWalk& fast, const Launch& launch, int p);

}  // namespace spodnet::cuda
