# SPDX-License-Identifier: MIT
# AMD code objects without an AMD GPU: the machine code of a .hip file, for tests to read or run.
#
#   subwave_code_object(variable compiler architecture file.hip [flag...])
#       adds the command that compiles the file with `compiler`, clang or hipcc, and sets `variable`
#       to the code object's path, whose name has the flags in it; the global property
#       SUBWAVE_CODE_OBJECT_FILES lists all
#   SUBWAVE_CODE_OBJECT_COMPILERS          those of the two that are there
#   SUBWAVE_CODE_OBJECT_ARCHITECTURES_<c>  what compiler <c> builds for
#   SUBWAVE_CODE_OBJECT_ARCHITECTURES_unrun  what clang builds for beside that, to be read only

# hipcc is the release that a distribution ships, clang the newer compiler for newer architectures.
find_program(SUBWAVE_CODE_OBJECT_CLANG clang-19 DOC "clang with AMD targets and its own lld")
find_program(SUBWAVE_CODE_OBJECT_HIPCC hipcc HINTS $ENV{ROCM_PATH}/bin /opt/rocm/bin)
set(SUBWAVE_CODE_OBJECT_ARCHITECTURES_clang gfx90a gfx942 gfx1100 gfx1201 CACHE STRING
  "AMD architectures of the code objects that clang makes")
set(SUBWAVE_CODE_OBJECT_ARCHITECTURES_hipcc gfx90a gfx1030 CACHE STRING
  "AMD architectures of the code objects that hipcc makes")
set(SUBWAVE_CODE_OBJECT_ARCHITECTURES_unrun gfx906 gfx908 gfx1030 CACHE STRING
  "Further AMD architectures of clang, whose code objects are looked at but not run")
find_path(SUBWAVE_HIP_ROOT include/hip/hip_runtime.h HINTS $ENV{ROCM_PATH} /opt/rocm /usr
  DOC "Folder whose include/ holds HIP's headers")
find_path(SUBWAVE_AMD_BITCODE ockl.bc DOC "Folder with ROCm's device libraries"
  HINTS $ENV{ROCM_PATH}/amdgcn/bitcode /opt/rocm/amdgcn/bitcode
  /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode)

set(SUBWAVE_CODE_OBJECT_COMPILERS)
if(SUBWAVE_CODE_OBJECT_CLANG AND SUBWAVE_HIP_ROOT AND SUBWAVE_AMD_BITCODE)
  list(APPEND SUBWAVE_CODE_OBJECT_COMPILERS clang)
else()
  message(STATUS "AMD code objects of clang: skipped, clang-19, HIP's headers or ROCm's device "
    "libraries are missing (SUBWAVE_CODE_OBJECT_CLANG, SUBWAVE_HIP_ROOT, SUBWAVE_AMD_BITCODE)")
endif()
if(SUBWAVE_CODE_OBJECT_HIPCC)
  list(APPEND SUBWAVE_CODE_OBJECT_COMPILERS hipcc)
else()
  message(STATUS "AMD code objects of hipcc: skipped, no hipcc (SUBWAVE_CODE_OBJECT_HIPCC)")
endif()

if(clang IN_LIST SUBWAVE_CODE_OBJECT_COMPILERS)
  set(code_objects ON)
else()
  set(code_objects OFF)
endif()
option(SUBWAVE_CODE_OBJECTS "Build AMD code objects and the tests of them" ${code_objects})

# clang asks for a file that tells the device libraries the architecture. Libraries older than an
# architecture lack only that: a folder of links to them gets it, made from one line of LLVM IR.
set(SUBWAVE_BITCODE_OVERLAY ${CMAKE_CURRENT_BINARY_DIR}/bitcode)
function(subwave_bitcode_for architecture output)
  string(REGEX REPLACE "^gfx" "" version ${architecture})
  set(file oclc_isa_version_${version}.bc)
  set(${output} "" PARENT_SCOPE)
  if(EXISTS ${SUBWAVE_AMD_BITCODE}/${file})
    return()
  endif()
  # gfx90a is 9.0.10, gfx1201 is 12.0.1: the last two digits are hexadecimal.
  string(REGEX MATCH "^([0-9]+)([0-9a-f])([0-9a-f])$" parts ${version})
  math(EXPR number "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
  set(source ${SUBWAVE_BITCODE_OVERLAY}/isa_${version}.ll)
  file(CONFIGURE OUTPUT ${source} CONTENT [[
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = linkonce_odr hidden local_unnamed_addr addrspace(4)
  constant i32 @number@, align 4
]] @ONLY)
  add_custom_command(OUTPUT ${SUBWAVE_BITCODE_OVERLAY}/${file}
    COMMAND ${SUBWAVE_CODE_OBJECT_CLANG} -x ir ${source} -c -emit-llvm -nogpulib
      --target=amdgcn-amd-amdhsa -Wno-override-module -o ${SUBWAVE_BITCODE_OVERLAY}/${file}
    DEPENDS ${source} VERBATIM)
  set(${output} ${SUBWAVE_BITCODE_OVERLAY}/${file} PARENT_SCOPE)
endfunction()

if(clang IN_LIST SUBWAVE_CODE_OBJECT_COMPILERS)
  file(GLOB libraries ${SUBWAVE_AMD_BITCODE}/*.bc)
  file(MAKE_DIRECTORY ${SUBWAVE_BITCODE_OVERLAY})
  foreach(library IN LISTS libraries)
    get_filename_component(name ${library} NAME)
    file(CREATE_LINK ${library} ${SUBWAVE_BITCODE_OVERLAY}/${name} SYMBOLIC)
  endforeach()
  # A custom command's output may be made in one place only, however many objects need it.
  foreach(architecture IN LISTS SUBWAVE_CODE_OBJECT_ARCHITECTURES_clang
      SUBWAVE_CODE_OBJECT_ARCHITECTURES_unrun)
    subwave_bitcode_for(${architecture} SUBWAVE_BITCODE_${architecture})
  endforeach()
endif()

function(subwave_code_object variable compiler architecture file)
  get_filename_component(name ${file} NAME_WE)
  list(JOIN ARGN "" flags)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${architecture}.${compiler}${flags}.co)
  if(compiler STREQUAL clang)
    set(command ${SUBWAVE_CODE_OBJECT_CLANG} -x hip --rocm-path=${SUBWAVE_HIP_ROOT}
      --rocm-device-lib-path=${SUBWAVE_BITCODE_OVERLAY})
  else()
    set(command ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${SUBWAVE_CODE_OBJECT_HIPCC})
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${command} --offload-device-only --no-gpu-bundle-output --offload-arch=${architecture}
      -std=c++17 ${ARGN} ${SUBWAVE_WARNINGS} -I${PROJECT_SOURCE_DIR}/include
      -MD -MF ${object}.d -c ${file} -o ${object}
    DEPENDS ${file} ${SUBWAVE_BITCODE_${architecture}} DEPFILE ${object}.d
    COMMENT "Compiling ${name}.hip to a code object for ${architecture} with ${compiler}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY SUBWAVE_CODE_OBJECT_FILES ${object})
  set(${variable} ${object} PARENT_SCOPE)
endfunction()
