# SPDX-License-Identifier: MIT
# Target `manual`: the headers and the documents as pages with a search, manual/html/index.html in the build folder.
# Needs Doxygen and Python. A warning of Doxygen is an error.
find_package(Python3 COMPONENTS Interpreter)
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND OR NOT Python3_FOUND)
  return()
endif()
set(SUBWAVE_MANUAL_FOLDER ${PROJECT_BINARY_DIR}/manual)
configure_file(${PROJECT_SOURCE_DIR}/cmake/manual/Doxyfile.in ${PROJECT_BINARY_DIR}/CMakeFiles/manual/Doxyfile @ONLY)
add_custom_target(manual COMMAND ${CMAKE_COMMAND} -E make_directory ${SUBWAVE_MANUAL_FOLDER}
  COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/CMakeFiles/manual/Doxyfile
  COMMENT "Writing manual/html/index.html" VERBATIM)
