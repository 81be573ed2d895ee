# SPDX-License-Identifier: MIT
# What `cpack` makes: Debian packages of the components of `cmake --install`, or one archive of all.
#
#   library      lib<name><SOVERSION>: what compiled programs need
#   development  lib<name>-dev: headers, CMake and pkg-config packages, static libraries, documents; all that names no
#                other component
#   tools        <name>-tools: the commands
#
# The component mpi is in no package: it is of the MPI that it was built with, of which a machine has its own.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME subwave)
set(CPACK_PACKAGE_VENDOR "The subwave authors")
if(NOT CPACK_PACKAGE_CONTACT) # whoever makes packages for others names himself: -DCPACK_PACKAGE_CONTACT="Name <address>"
  set(CPACK_PACKAGE_CONTACT "The subwave authors <subwave@example.org>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS)
  list(PREPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
  set(CPACK_COMPONENT_TOOLS_DEPENDS library)
endif()
if(SUBWAVE_TOOL OR SUBWAVE_BENCH)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/SubwaveDebian.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}) # where tools find the library
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsubwave${SUBWAVE_SOVERSION})
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries: matrix products, reductions, scans and other operations
on arrays, and group functions on each part of an array, on AMD and NVIDIA
GPUs and on a device that simulates their waves on the CPU; with a C and a
Fortran interface.")
# The linker's cache is renewed once for all packages that are installed together.
file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/CMakeFiles/debian/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsubwave-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS g++)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, pkg-config, gfortran")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Development files: the headers of the C interface and of SYCL's groups for
kernels of one's own, the CPU device on which such kernels are run and
debugged, packages for CMake and pkg-config, the Fortran modules, examples
and documents.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME subwave-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Commands: subwave shows devices, computes with arrays in NumPy files and
times the library's calls; subwave-bench compares them with other libraries.")

# `cpack --config CPackSourceConfig.cmake`: the archive that the recipes in cmake/recipes build from.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME ${PROJECT_NAME}-${PROJECT_VERSION})
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" folder "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES ^${folder}/build[^/]*/ ^${folder}/\\.git /__pycache__/ "\\.c?o$")
include(CPack)
