# SPDX-License-Identifier: MIT
# Installs BUILD into an empty PREFIX.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  COMMAND_ERROR_IS_FATAL ANY)
foreach(file LICENSE README.md CHANGELOG.md docs/groups.md examples/matmul.c)
  if(NOT EXISTS ${PREFIX}/${DOCDIR}/${file})
    message(FATAL_ERROR "${DOCDIR}/${file} is not installed")
  endif()
endforeach()
