# Installs the build into a fresh prefix, builds the outside project against it and runs it.
#   cmake -D BUILD=... -D SOURCE=... -D VERSION=... -D WORK=... -D GENERATOR=... -D COMPILER=... -D LAUNCHER=...
#         -D FLAGS=... -P install_test.cmake
function(must)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
                  OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(status)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${out}")
  endif()
  message("${out}")
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/consumer)
set(prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/spodnet/*.hpp)
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN headers "" text)
file(WRITE ${WORK}/consumer/all_headers.hpp "${text}")

must(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${WORK}/consumer -G ${GENERATOR}
     -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
     -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Debug
     -D EXAMPLES=${SOURCE}/examples -D VERSION=${VERSION}
     "-DCMAKE_CXX_FLAGS=-I${WORK}/consumer ${FLAGS}")
must(${CMAKE_COMMAND} --build ${WORK}/consumer --parallel 2)
must(${WORK}/consumer/library_user)
must(${WORK}/consumer/estimate)
must(${WORK}/consumer/masked --version)
must(${prefix}/bin/spodnet --version)

# A C program that knows pkg-config alone.
file(GLOB_RECURSE pc ${prefix}/lib*/pkgconfig/spodnet.pc)
get_filename_component(pc_folder ${pc} DIRECTORY)
must(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder} sh -ec
     "cc -std=c99 -pedantic-errors -Wall -Wextra -Werror $(pkg-config --cflags spodnet) ${FLAGS} \
        ${SOURCE}/tests/install/consumer/c_user.c -o c_user $(pkg-config --libs spodnet)
      test \"$(pkg-config --modversion spodnet)\" = ${VERSION}")
must(${WORK}/c_user)
foreach(file bash-completion/completions/spodnet zsh/site-functions/_spodnet
        fish/vendor_completions.d/spodnet.fish man/man1/spodnet.1 man/man1/spodnet-graph.1)
  file(READ ${prefix}/share/${file} content)
  string(FIND "${content}" "graph" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${file} does not know the command graph")
  endif()
endforeach()

# Nothing installed may point back into the source or the build.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.hpp ${prefix}/*.h ${prefix}/*.pc)
foreach(file ${texts})
  file(READ ${file} content)
  foreach(place ${SOURCE}/ ${BUILD}/spodnet ${BUILD}/cli)
    string(FIND "${content}" "${place}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} mentions ${place}")
    endif()
  endforeach()
endforeach()
