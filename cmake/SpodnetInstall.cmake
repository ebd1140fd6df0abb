# What `cmake --install` puts where, so that `find_package(spodnet)` gives a stranger's project
# spodnet::spodnet and spodnet::cli.
include(CMakePackageConfigHelpers)

set(SPODNET_INSTALLED spodnet)
install(CODE "set(SOURCE \"${PROJECT_SOURCE_DIR}\")
set(INCLUDE \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/InstallHeaders.cmake)
install(FILES ${PROJECT_SOURCE_DIR}/include/spodnet.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(SPODNET_BUILD_CLI)
  list(APPEND SPODNET_INSTALLED spodnet_cli)
  # In a folder of its own: cli/cli.hpp is too common a name for /usr/include.
  install(FILES ${PROJECT_SOURCE_DIR}/cli/cli.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spodnet-cli/cli)
  target_include_directories(spodnet_cli INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spodnet-cli>)
  install(TARGETS spodnet_main RUNTIME)
  if(NOT CMAKE_CROSSCOMPILING)  # the program must run here
    install(CODE "set(PROGRAM \"$<TARGET_FILE:spodnet_main>\")
set(DATA \"${CMAKE_INSTALL_DATADIR}\")
set(MAN \"${CMAKE_INSTALL_MANDIR}\")")
    install(SCRIPT cmake/InstallShellWords.cmake)
  endif()
endif()
if(TARGET spodnet_reproduce)
  install(TARGETS spodnet_reproduce RUNTIME)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/reproduce/plot.py
          DESTINATION ${CMAKE_INSTALL_DATADIR}/spodnet/reproduce)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/reproduce/plots
          DESTINATION ${CMAKE_INSTALL_DATADIR}/spodnet/reproduce PATTERN __pycache__ EXCLUDE)
endif()
if(SPODNET_MPI)
  list(APPEND SPODNET_INSTALLED spodnet_mpi)
  install(FILES ${PROJECT_SOURCE_DIR}/spodnet/mpi/mpi_group.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spodnet/mpi)
endif()
install(TARGETS ${SPODNET_INSTALLED} EXPORT spodnetTargets)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spodnet)
install(EXPORT spodnetTargets NAMESPACE spodnet:: DESTINATION ${package_dir})
configure_package_config_file(cmake/spodnetConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spodnetConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spodnetConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)  # before 1.0 every minor version may change the interface
install(FILES ${PROJECT_BINARY_DIR}/spodnetConfig.cmake
              ${PROJECT_BINARY_DIR}/spodnetConfigVersion.cmake DESTINATION ${package_dir})

# For everything that is not CMake: `pkg-config spodnet`. The prefix is found from the file's place.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SPODNET_PC_PREFIX "\${pcfiledir}/${up}")
get_target_property(fmt_kind fmt::fmt TYPE)
set(SPODNET_PC_LIBRARIES "-lz -lstdc++ -lm -pthread")
if(NOT fmt_kind STREQUAL "INTERFACE_LIBRARY")
  string(PREPEND SPODNET_PC_LIBRARIES "-lfmt ")
endif()
configure_file(cmake/spodnet.pc.in ${PROJECT_BINARY_DIR}/spodnet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spodnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
