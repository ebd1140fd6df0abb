# Tests of the project itself, by script: its rooms, its documents, its installation.
function(project_test name)
  add_test(NAME project.${name} COMMAND ${ARGN} COMMAND_EXPAND_LISTS)
  set_tests_properties(project.${name} PROPERTIES LABELS project)
endfunction()

set(here ${CMAKE_CURRENT_SOURCE_DIR})
project_test(includes ${here}/architecture/includes_test ${PROJECT_SOURCE_DIR})
if(NOT SPODNET_SANITIZE)  # sanitizers put merged symbols into every object
  project_test(instruction_sets ${here}/architecture/instruction_sets_test ${PROJECT_SOURCE_DIR}
               $<TARGET_OBJECTS:spodnet>)
endif()

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md)
project_test(code_blocks ${here}/docs/compare_code_blocks ${PROJECT_SOURCE_DIR} ${pages})
project_test(version ${here}/docs/check_version ${PROJECT_SOURCE_DIR} ${PROJECT_VERSION})
if(SPODNET_BUILD_CLI AND SPODNET_BUILD_EXAMPLES)
  foreach(page README docs/extending)  # docs/using.md is run by tests/cli
    cmake_path(GET page STEM name)
    project_test(shell_blocks.${name} ${here}/docs/run_shell_blocks ${PROJECT_SOURCE_DIR}/${page}.md
                 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${PROJECT_SOURCE_DIR}/examples)
  endforeach()
endif()

find_program(SPODNET_TEST_PYTHON python3 DOC "Python for tests of the documents and experiments")
if(SPODNET_TEST_PYTHON)
  project_test(cpp_interface ${SPODNET_TEST_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/cpp_interface --check)
  project_test(links ${SPODNET_TEST_PYTHON} ${here}/docs/check_links ${PROJECT_SOURCE_DIR})
  project_test(paper_index ${SPODNET_TEST_PYTHON} ${here}/docs/check_paper_index ${PROJECT_SOURCE_DIR})
  project_test(pictures ${SPODNET_TEST_PYTHON} ${here}/reproduce/plot_test.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(project.pictures PROPERTIES SKIP_RETURN_CODE 77)  # no matplotlib
  if(TARGET pretrain_tables)
    project_test(pretrain ${SPODNET_TEST_PYTHON} ${here}/experiments/pretrain_test.py
                 ${PROJECT_SOURCE_DIR} $<TARGET_FILE:spodnet_main>)
  endif()
  if(SPODNET_BUILD_CLI)
    project_test(malformed_tables ${SPODNET_TEST_PYTHON} ${here}/tables/malformed_tables.py
                 $<TARGET_FILE:spodnet_main>)
  endif()
else()
  message(STATUS "No python3: links, pictures and experiments/pretrain are not tested")
endif()

if(SPODNET_INSTALL AND SPODNET_BUILD_CLI)
  set(consumer_flags "${CMAKE_CXX_FLAGS}")
  if(SPODNET_SANITIZE)
    string(APPEND consumer_flags " -fsanitize=address,undefined")
  endif()
  project_test(install ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
               -D SOURCE=${PROJECT_SOURCE_DIR} -D VERSION=${PROJECT_VERSION} -D WORK=${CMAKE_CURRENT_BINARY_DIR}/install_test
               -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER}
               -D LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -D "FLAGS=${consumer_flags}"
               -P ${here}/install/install_test.cmake)
  set_tests_properties(project.install PROPERTIES PROCESSORS 2)
endif()
