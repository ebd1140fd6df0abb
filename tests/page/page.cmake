# The files of an analysis as other programs see them: networkx, scipy, numpy, a browser. A test
# whose program is not installed says so and counts as skipped (exit status 77).
add_executable(make_report ${CMAKE_CURRENT_LIST_DIR}/make_report.cpp)
target_link_libraries(make_report PRIVATE spodnet spodnet_flags)
target_include_directories(make_report PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})

function(page_test name)
  add_test(NAME page.${name} COMMAND ${ARGN} $<TARGET_FILE:make_report>)
  set_tests_properties(page.${name} PROPERTIES LABELS page SKIP_RETURN_CODE 77 TIMEOUT 1500)
endfunction()

page_test(read_back ${CMAKE_CURRENT_LIST_DIR}/read_back_test)
page_test(browser ${CMAKE_CURRENT_LIST_DIR}/browser_test)
