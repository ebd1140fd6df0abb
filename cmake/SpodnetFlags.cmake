# Compile flags shared by every target of this project; never exported to users.
add_library(spodnet_flags INTERFACE)
target_compile_features(spodnet_flags INTERFACE cxx_std_20)
target_compile_options(spodnet_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -Wno-missing-field-initializers  # designated initialisers leave defaults
                       -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms in std::string, std::optional and Eigen.
  target_compile_options(spodnet_flags INTERFACE -Wno-restrict -Wno-stringop-overflow
                         -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
if(SPODNET_WERROR)
  target_compile_options(spodnet_flags INTERFACE -Werror)
endif()
if(SPODNET_SANITIZE STREQUAL "thread")
  target_compile_options(spodnet_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(spodnet_flags INTERFACE -fsanitize=thread)
elseif(SPODNET_SANITIZE)
  target_compile_options(spodnet_flags INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(spodnet_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SPODNET_COVERAGE)
  target_compile_options(spodnet_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(spodnet_flags INTERFACE --coverage)
endif()
