# The library behind spodnet/mpi. Asked for and missing is an error; where it is there, the tests use
# it in any case.
if(NOT SPODNET_MPI AND NOT SPODNET_BUILD_TESTS)
  return()
endif()
find_package(MPI QUIET COMPONENTS CXX)
if(NOT SPODNET_MPI)
  return()
endif()
if(NOT MPI_CXX_FOUND)
  message(FATAL_ERROR "SPODNET_MPI needs an MPI library, which was not found: install one (Debian: "
          "libopenmpi-dev openmpi-bin) or set MPI_HOME")
endif()
if(MPI_CXX_VERSION VERSION_LESS 3)
  message(FATAL_ERROR "SPODNET_MPI needs MPI 3 or newer; this is ${MPI_CXX_VERSION}")
endif()
