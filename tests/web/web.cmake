# The page for the browser, as web/build has made it in build-web/page: in node beside the command, and in a browser. A test
# whose page or program is not there says so and counts as skipped (exit status 77).
function(web_test name)
  add_test(NAME web.${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/web_test ${name} ${PROJECT_SOURCE_DIR} $<TARGET_FILE:spodnet_main>)
  set_tests_properties(web.${name} PROPERTIES LABELS web SKIP_RETURN_CODE 77 TIMEOUT 1500)
endfunction()

if(SPODNET_BUILD_CLI)
  web_test(node)
  web_test(browser)
endif()
