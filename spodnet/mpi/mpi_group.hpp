#pragma once

#include <memory>

#include "spodnet/core/group.hpp"

namespace spodnet {

/// The processes that mpirun or srun started, of which this is one; a group of one where nothing
/// did. MPI ends with the object, which waits for the others. One at a time; its functions are for
/// the thread that made it.
std::unique_ptr<Group> join_mpi();

}  // namespace spodnet
