# SPDX-License-Identifier: MIT
# AMD machine code for tests to read and to execute: in a build with SUBWAVE_GPU=amd, by its hipcc.
#
#   subwave_code_object(variable architecture file.hip [flag...])
#       adds the command that compiles the file to a code object, and sets `variable` to its path, whose
#       name has the flags in it
#   SUBWAVE_CODE_OBJECTS                 whether there are such tests
#   SUBWAVE_EXECUTED_ARCHITECTURES       those of the build whose code tests/amdrun executes

find_package(Python3 COMPONENTS Interpreter)
find_program(SUBWAVE_HIPCC hipcc HINTS $ENV{ROCM_PATH}/bin /opt/rocm/bin)
set(hints HINTS $ENV{ROCM_PATH}/llvm/bin /opt/rocm/llvm/bin)
find_program(SUBWAVE_LLVM_OBJDUMP NAMES llvm-objdump-22 llvm-objdump-19 llvm-objdump-15 llvm-objdump ${hints})
find_program(SUBWAVE_LLVM_READELF NAMES llvm-readelf-22 llvm-readelf-19 llvm-readelf-15 llvm-readelf ${hints})
if(Python3_FOUND AND SUBWAVE_HIPCC AND SUBWAVE_LLVM_OBJDUMP AND SUBWAVE_LLVM_READELF)
  set(found ON)
else()
  set(found OFF)
endif()
option(SUBWAVE_CODE_OBJECTS "Read and execute AMD machine code in the tests of an AMD build" ${found})

set(SUBWAVE_EXECUTED_ARCHITECTURES)
if(NOT SUBWAVE_GPU STREQUAL amd)
  set(SUBWAVE_CODE_OBJECTS OFF)
elseif(NOT SUBWAVE_CODE_OBJECTS)
  message(STATUS "AMD machine code is not tested: SUBWAVE_CODE_OBJECTS is off, as it is by default where Python 3, "
    "llvm-objdump or llvm-readelf is missing")
else()
  foreach(tool Python3_EXECUTABLE SUBWAVE_HIPCC SUBWAVE_LLVM_OBJDUMP SUBWAVE_LLVM_READELF)
    if(NOT ${tool})
      message(FATAL_ERROR "Tests of AMD machine code need Python 3, hipcc, llvm-objdump and llvm-readelf; "
        "${tool} is not found. SUBWAVE_CODE_OBJECTS=OFF builds without these tests.")
    endif()
  endforeach()
  execute_process(OUTPUT_VARIABLE known OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${Python3_EXECUTABLE} -B -c "import amdrun; print(';'.join(amdrun.TARGETS))"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/amdrun)
  string(REPLACE " " ";" SUBWAVE_EXECUTED_ARCHITECTURES "${SUBWAVE_GPU_ARCHITECTURE_NAMES}")
  list(FILTER SUBWAVE_EXECUTED_ARCHITECTURES INCLUDE REGEX "^gfx")
  foreach(architecture IN LISTS SUBWAVE_EXECUTED_ARCHITECTURES)
    if(NOT architecture IN_LIST known)
      list(REMOVE_ITEM SUBWAVE_EXECUTED_ARCHITECTURES ${architecture})
    endif()
  endforeach()
endif()

function(subwave_code_object variable architecture file)
  get_filename_component(name ${file} NAME_WE)
  list(JOIN ARGN "" flags)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${architecture}${flags}.co)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${SUBWAVE_HIPCC} --offload-device-only
      --no-gpu-bundle-output --offload-arch=${architecture} -std=c++17 ${ARGN} ${SUBWAVE_WARNINGS}
      -I${PROJECT_SOURCE_DIR}/include -c ${file} -o ${object}
      # LLVM 22 takes no -MF for device code alone.
      -Xclang -dependency-file -Xclang ${object}.d -Xclang -MT -Xclang ${object} -Xclang -sys-header-deps
    DEPENDS ${file} DEPFILE ${object}.d
    COMMENT "Compiling ${name}.hip to a code object for ${architecture}" VERBATIM)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()
