# SPDX-License-Identifier: MIT
# A subwave in PREFIX without COMPONENT, which is WHAT: a project that asks for it hears so, another one does not notice.
cmake_minimum_required(VERSION 3.25)

# configure(status component...): the outcome and what CMake said.
function(configure)
  file(REMOVE_RECURSE ${FOLDER})
  file(WRITE ${FOLDER}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(subwave REQUIRED ${ARGN})
")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/build -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_PREFIX_PATH=${PREFIX} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(status "${status}" PARENT_SCOPE)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

configure(OPTIONAL_COMPONENTS ${COMPONENT})
if(NOT status EQUAL 0)
  message(SEND_ERROR "without its optional component: ${errors}")
endif()
configure(COMPONENTS ${COMPONENT})
if(status EQUAL 0 OR NOT errors MATCHES "this subwave was built without ${WHAT}")
  message(SEND_ERROR "with a component that is missing: ${status}, ${errors}")
endif()
