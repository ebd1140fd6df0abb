#include "cli/cli.hpp"
#ifdef SPODNET_MPI
#include "spodnet/mpi/mpi_group.hpp"
#endif

int main(int argc, char** argv) {
#ifdef SPODNET_MPI
  const auto group = spodnet::join_mpi();
#else
  spodnet::Group* const group = &spodnet::one_process();
#endif
  return spodnet::cli::run(argc, argv, spodnet::builtin_models(), spodnet::builtin_losses(),
                           *group);
}
