# SPDX-License-Identifier: MIT
# subwave_man_page(<target> <summary>): builds and installs a manual page of a program from what it prints for --help.
# Needs Python, and a program that runs where it is built.
find_package(Python3 COMPONENTS Interpreter)
function(subwave_man_page target summary)
  if(NOT Python3_FOUND OR CMAKE_CROSSCOMPILING OR CMAKE_C_FLAGS MATCHES "-fsanitize=")
    message(STATUS "${target}: no manual page, which needs Python 3 and a build for this machine without a sanitizer")
    return()
  endif()
  get_target_property(name ${target} OUTPUT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  set(page ${PROJECT_BINARY_DIR}/man/${name}.1)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${page}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/src/tool/manual.py --program $<TARGET_FILE:${target}>
      --name ${name} --version ${PROJECT_VERSION} --summary ${summary} --output ${page}
    DEPENDS ${target} ${PROJECT_SOURCE_DIR}/src/tool/manual.py COMMENT "Writing the manual page of ${name}" VERBATIM)
  add_custom_target(${target}_man_page ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endfunction()
