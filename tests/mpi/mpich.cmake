# SPDX-License-Identifier: MIT
# The sources of libsubwave_mpi and its tests by MPICH, which is here beside the MPI of the build: compiled in FOLDER, linked with
# LIBRARY, and run on three ranks.
cmake_minimum_required(VERSION 3.25)
find_program(MPICC mpicc.mpich)
find_program(MPIEXEC mpiexec.mpich)
if(NOT MPICC OR NOT MPIEXEC)
  message("skipped: MPICH is missing (Debian: libmpich-dev, mpich)")
  return()
endif()
file(MAKE_DIRECTORY ${FOLDER})
file(GLOB sources ${SOURCE}/src/mpi/*.c)
cmake_path(GET LIBRARY PARENT_PATH libraries)
unset(ENV{SUBWAVE_MPI_CCL})
foreach(test calls faults)
  set(wraps)
  if(test STREQUAL faults)
    list(TRANSFORM WRAPPED PREPEND -Wl,--wrap=subwave_ OUTPUT_VARIABLE wraps)
  endif()
  execute_process(COMMAND ${MPICC} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -ffp-contract=off -I${SOURCE}/include
      ${SOURCE}/tests/mpi/test_${test}.c ${SOURCE}/tests/reference.c ${sources} ${wraps} -o ${FOLDER}/${test}
      ${LIBRARY} -Wl,-rpath,${libraries} -lm -ldl
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${MPIEXEC} -n 3 ${FOLDER}/${test} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
