# At install time: shell completions and manual pages, printed by the program itself (PROGRAM), into
# DATA (share) and MAN (share/man) below the prefix.
function(printed file)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "Installing: ${file}")
endfunction()

set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
printed(${prefix}/${DATA}/bash-completion/completions/spodnet completion bash)
printed(${prefix}/${DATA}/zsh/site-functions/_spodnet completion zsh)
printed(${prefix}/${DATA}/fish/vendor_completions.d/spodnet.fish completion fish)
printed(${prefix}/${MAN}/man1/spodnet.1 manual)
execute_process(COMMAND ${PROGRAM} manual --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+" names "${names}")
foreach(name ${names})
  printed(${prefix}/${MAN}/man1/spodnet-${name}.1 manual ${name})
endforeach()
