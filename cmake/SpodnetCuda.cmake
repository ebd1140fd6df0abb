# The compiler of spodnet/cuda. Asked for and missing is an error.
find_program(SPODNET_NVCC nvcc PATHS /usr/local/cuda/bin $ENV{CUDA_PATH}/bin
             DOC "CUDA's compiler")
if(NOT CMAKE_CUDA_COMPILER AND NOT SPODNET_NVCC)
  message(FATAL_ERROR "SPODNET_CUDA needs CUDA's compiler nvcc, which was not found: install the CUDA "
          "toolkit (12 or newer) or set CMAKE_CUDA_COMPILER")
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${SPODNET_NVCC})
endif()
# A100, H100 and H200, B200; and PTX, which the driver compiles for newer ones.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100 CACHE STRING "GPUs that spodnet/cuda is compiled for")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "SPODNET_CUDA needs CUDA 12 or newer; this is ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
find_package(CUDAToolkit REQUIRED)
