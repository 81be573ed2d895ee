# SPDX-License-Identifier: MIT
# Builds SOURCE in FOLDER with static libraries and installs it: programs in C and in Fortran are linked with what
# `pkg-config --static` says and nothing else, and as CMake projects.
cmake_minimum_required(VERSION 3.25)
if(NOT PKG_CONFIG)
  message("skipped: pkg-config is missing")
  return()
endif()
string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/build -G ${GENERATOR} -DBUILD_SHARED_LIBS=OFF
  -DSUBWAVE_GPU=none -DSUBWAVE_CPU_LEVEL=O0 -DSUBWAVE_TESTS=OFF -DSUBWAVE_BENCH=OFF -DSUBWAVE_EXAMPLES=OFF
  -DSUBWAVE_FORTRAN=${FORTRAN} -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
  "-DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER}/build COMMAND_ERROR_IS_FATAL ANY)
set(prefix ${FOLDER}/prefix)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${FOLDER}/build --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE shared ${prefix}/*.so*)
if(shared)
  message(FATAL_ERROR "a static build has installed ${shared}")
endif()

# try_package(<package> <compiler> <source>)
function(try_package package compiler source)
  execute_process(COMMAND ${CMAKE_COMMAND} -DPKG_CONFIG=${PKG_CONFIG} -DSTATIC=--static -DPACKAGE=${package}
    -DCOMPILER=${compiler} -DSOURCE=${source} -DPREFIX=${prefix} -DLIBDIR=${LIBDIR}
    -P ${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake COMMAND_ERROR_IS_FATAL ANY)
endfunction()
try_package(subwave ${CC} multiply.c)
set(projects c_only)
if(FORTRAN)
  try_package(subwave-fortran ${FC} multiply.f90)
  list(APPEND projects fortran)
endif()
foreach(project IN LISTS projects)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_LIST_DIR}/${project} ${FOLDER}/${project}
    --build-generator ${GENERATOR} --build-options --fresh -DCMAKE_PREFIX_PATH=${prefix}
    --test-command multiply COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${prefix}/bin/subwave info COMMAND_ERROR_IS_FATAL ANY)
