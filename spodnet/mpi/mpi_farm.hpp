#pragma once

#include "spodnet/core/group.hpp"

namespace spodnet {

/// Group::farm over all of MPI's processes. In each, the caller's thread talks to the others while
/// the pool works: process 0 hands out indices as they are asked for and takes the results.
void mpi_farm(std::size_t count, ThreadPool& pool, const std::atomic<bool>& stop,
              const FarmWork& work, const FarmTake& take);

}  // namespace spodnet
