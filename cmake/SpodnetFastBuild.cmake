# A fast build from nothing: the sources of a room are compiled several at a time (SPODNET_UNITY),
# and the headers that everybody includes are read once (SPODNET_PRECOMPILE).
option(SPODNET_UNITY "Compile several sources of a room at a time" ON)
option(SPODNET_PRECOMPILE "Precompile the headers of Eigen, fmt and the standard library" ON)

set(SPODNET_STD_HEADERS <algorithm> <array> <atomic> <cmath> <cstddef> <cstdint> <filesystem>
  <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
  <utility> <vector>)
set(SPODNET_EIGEN_HEADERS ${PROJECT_SOURCE_DIR}/spodnet/core/eigen_once.hpp)

# spodnet_precompile(TARGET HEADER ...) or (TARGET REUSE_FROM ANOTHER).
function(spodnet_precompile target)
  if(NOT SPODNET_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# spodnet_unity(TARGET BATCH): at most BATCH neighbours of a folder at a time, those that include
# CLI11 or nlohmann/json (seconds of compiling in every source) together. Compiled alone and without
# precompiled headers: what is generated, what is made for one instruction set and eigen_once.cpp.
# Compiled alone: files with flags of their own.
function(spodnet_unity target batch)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${source} generated)
    get_source_file_property(own_flags ${source} COMPILE_OPTIONS)
    if(generated OR source MATCHES "(_baseline|_avx2|_avx512|/eigen_once)\\.cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    elseif(NOT own_flags)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME room)
      file(STRINGS ${source} heavy REGEX "^#include <(CLI|nlohmann)/")
      if(heavy)
        string(APPEND room "_heavy")
      endif()
      math(EXPR group "0${count_${room}} / ${batch}")
      math(EXPR count_${room} "0${count_${room}} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SPODNET_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
