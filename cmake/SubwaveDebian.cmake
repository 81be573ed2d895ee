# SPDX-License-Identifier: MIT
# Run by cpack on what it has installed and is about to put into packages: what Debian wants of each package, and no
# build wants.
cmake_minimum_required(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH's, if that is set
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(doc ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${CPACK_RESOURCE_FILE_LICENSE} ${doc}/copyright)
  file(WRITE ${doc}/changelog.Debian "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) \
unstable; urgency=medium\n\n  * Built from the sources, whose changes CHANGELOG.md in libsubwave-dev has.\n\n \
-- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB_RECURSE pages ${usr}/share/man/*.[1-9])
  execute_process(COMMAND ${GZIP} -9n ${pages} ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  # In /usr the loader finds the libraries by itself.
  file(GLOB programs ${usr}/bin/* ${usr}/lib/*.so.*.*.* ${usr}/lib/*/*.so.*.*.*)
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
