#include "spodnet/mpi/launcher.hpp"

#include <cstdlib>

#include "spodnet/core/parse.hpp"

namespace spodnet {

int launched_processes() {
  const bool by_slurm = std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");  // srun --mpi=...
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", by_slurm ? "SLURM_NTASKS" : ""})
    if (const char* text = std::getenv(name))
      if (const auto count = to_count(text); count && *count > 0) return int(*count);
  return 1;
}

}  // namespace spodnet
