# The CUDA room on a CPU, for test_cuda alone: its sources, and those of devices/ which then know it,
# are compiled once more, with an emulation of CUDA (README.md). Linked before the library they take
# the place of its own.
set(emulation ${CMAKE_CURRENT_SOURCE_DIR}/cuda/emulation)
file(GLOB sources CONFIGURE_DEPENDS ${emulation}/*.cpp ${PROJECT_SOURCE_DIR}/spodnet/cuda/*.cpp
  ${PROJECT_SOURCE_DIR}/spodnet/cuda/*.cu ${PROJECT_SOURCE_DIR}/spodnet/devices/*.cpp)
set(emulation_tests ${sources})
list(FILTER emulation_tests INCLUDE REGEX "_test\\.cpp$")
set(kernels ${sources})
list(FILTER kernels INCLUDE REGEX "\\.cu$")
list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON)

add_library(emulated_cuda OBJECT ${sources})
target_include_directories(emulated_cuda BEFORE PUBLIC ${emulation})
target_compile_definitions(emulated_cuda PUBLIC SPODNET_CUDA SPODNET_EMULATED_GPU)
target_compile_options(emulated_cuda PUBLIC -Wno-unknown-pragmas
  $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>  # unrolling
  )
target_compile_options(emulated_cuda PRIVATE -O2 -fno-strict-aliasing
  $<$<BOOL:${SPODNET_SANITIZE}>:-fno-sanitize=all>)  # they know no fibers
# Races: every access of a kernel is seen by the thread sanitizer (README.md).
option(SPODNET_EMULATION_RACES "Run the emulated kernels under the thread sanitizer" OFF)
if(SPODNET_EMULATION_RACES)
  target_compile_definitions(emulated_cuda PRIVATE SPODNET_EMULATION_RACES)
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "-g;-fsanitize=thread")
  target_link_options(test_cuda PRIVATE -fsanitize=thread)
endif()
target_link_libraries(emulated_cuda PRIVATE spodnet spodnet_flags fmt::fmt)
