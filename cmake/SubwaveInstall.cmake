# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: the library, the device headers, the CPU device, the package. (The Fortran module and
# libsubwave_blas and libsubwave_mpi: their folders.)
include(CMakePackageConfigHelpers)

# Header-only device interface for the user's own kernels.
add_library(subwave_device INTERFACE)
add_library(subwave::device ALIAS subwave_device)
target_include_directories(subwave_device INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(subwave_device PROPERTIES EXPORT_NAME device)

install(TARGETS subwave subwave_device subwave_cpu EXPORT subwave-targets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
foreach(program subwave_tool subwave-bench)
  if(TARGET ${program})
    install(TARGETS ${program} COMPONENT tools)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/subwave DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN mpi.h EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/cpu/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/subwave/cpu
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/subwave)
install(EXPORT subwave-targets NAMESPACE subwave:: DESTINATION ${package_dir})
if(SUBWAVE_HAVE_FORTRAN) # a file of its own: no project without Fortran reads it
  install(EXPORT subwave-fortran-targets NAMESPACE subwave:: DESTINATION ${package_dir})
endif()
if(TARGET subwave_blas) # read by who asks for this component
  install(EXPORT subwave-blas-targets NAMESPACE subwave:: DESTINATION ${package_dir})
endif()
if(TARGET subwave_mpi)
  install(EXPORT subwave-mpi-targets NAMESPACE subwave:: DESTINATION ${package_dir} COMPONENT mpi)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/subwave-config.cmake.in
  ${PROJECT_BINARY_DIR}/subwave-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/subwave-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/subwave-config.cmake
  ${PROJECT_BINARY_DIR}/subwave-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SubwaveCpuKernels.cmake DESTINATION ${package_dir})

# pkg-config: paths relative to the file's own, since `cmake --install --prefix` may move it.
file(RELATIVE_PATH SUBWAVE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SUBWAVE_PC_PREFIX ${SUBWAVE_PC_PREFIX})
file(RELATIVE_PATH SUBWAVE_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH SUBWAVE_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(NOT BUILD_SHARED_LIBS)
  get_property(libraries GLOBAL PROPERTY SUBWAVE_GPU_LIBRARIES)
  list(JOIN libraries " " libraries)
  set(SUBWAVE_PC_STATIC_LIBS " -lsubwave_cpu ${libraries} -lstdc++ -lm -lpthread -ldl")
  set(SUBWAVE_PC_STATIC_CFLAGS " -DSUBWAVE_STATIC")
endif()
set(packages subwave)
if(SUBWAVE_HAVE_FORTRAN)
  list(APPEND packages subwave-fortran)
endif()
if(TARGET subwave_blas)
  list(APPEND packages subwave-blas)
endif()
foreach(package IN LISTS packages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
if(TARGET subwave_mpi)
  list(JOIN MPI_C_LIBRARIES " " SUBWAVE_PC_MPI_LIBS)
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  list(JOIN includes " " SUBWAVE_PC_MPI_CFLAGS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/subwave-mpi.pc.in ${PROJECT_BINARY_DIR}/subwave-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/subwave-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()
