#pragma once

namespace spodnet {

/// How many processes mpirun or srun started together with this one, by what they leave in the
/// environment; 1 when it was started alone. Known without MPI.
int launched_processes();

}  // namespace spodnet
