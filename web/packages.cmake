# What the library asks for by find_package, for WebAssembly: headers of INCLUDES (copies of this machine's, which hold
# no machine's code), and zlib from source.
function(header_package name target)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${INCLUDES})
  set(folder ${CMAKE_BINARY_DIR}/packages)
  file(WRITE ${folder}/${name}Config.cmake "# ${target} is there: web/packages.cmake\n")
  file(WRITE ${folder}/${name}ConfigVersion.cmake "set(PACKAGE_VERSION 0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
  set(${name}_DIR ${folder} CACHE PATH "" FORCE)
endfunction()

set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)
header_package(Eigen3 Eigen3::Eigen)
header_package(fmt fmt::fmt)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
header_package(nlohmann_json nlohmann_json::nlohmann_json)
header_package(ZLIB ZLIB::ZLIB)
if(ZLIB_SOURCE)  # web/toolchain has it
  file(GLOB sources ${ZLIB_SOURCE}/*.c)
  list(FILTER sources EXCLUDE REGEX "/gz[a-z]*\\.c$")
  add_library(zlib STATIC ${sources})
  target_include_directories(zlib SYSTEM PUBLIC ${ZLIB_SOURCE})
  target_link_libraries(ZLIB::ZLIB INTERFACE zlib)
else()  # emscripten's own
  target_compile_options(ZLIB::ZLIB INTERFACE --use-port=zlib)
  target_link_options(ZLIB::ZLIB INTERFACE --use-port=zlib)
endif()
