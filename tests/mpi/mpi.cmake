# Tests of several processes, by Open MPI where it is installed: the command line with spodnet/mpi,
# which takes seconds to build beside the one without.
find_program(SPODNET_MPIRUN mpirun DOC "Starts the processes of the tests of spodnet/mpi")
if(NOT TARGET spodnet_mpi OR NOT SPODNET_MPIRUN OR NOT SPODNET_TEST_PYTHON OR NOT TARGET spodnet_reproduce)
  message(STATUS "No Open MPI (libopenmpi-dev, openmpi-bin) or no python3: spodnet/mpi is not tested")
  return()
endif()
add_executable(spodnet_with_mpi ${PROJECT_SOURCE_DIR}/cli/main.cpp)
target_compile_definitions(spodnet_with_mpi PRIVATE SPODNET_MPI)
target_link_libraries(spodnet_with_mpi PRIVATE spodnet_cli spodnet_mpi spodnet_flags)
spodnet_add_reproduce(reproduce_with_mpi reproduce_with_mpi)
target_compile_definitions(reproduce_with_mpi PRIVATE SPODNET_MPI)
target_link_libraries(reproduce_with_mpi PRIVATE spodnet_mpi)

foreach(name same_model interrupted farms refused)
  add_test(NAME mpi.${name} COMMAND ${SPODNET_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/mpi/${name}_test.py
           ${SPODNET_MPIRUN} $<TARGET_FILE:spodnet_with_mpi> $<TARGET_FILE:spodnet_main>
           $<TARGET_FILE:reproduce_with_mpi> $<TARGET_FILE:spodnet_reproduce>)
  set_tests_properties(mpi.${name} PROPERTIES LABELS mpi SKIP_RETURN_CODE 77 PROCESSORS 2)
endforeach()
