# SPDX-License-Identifier: MIT
# The one place that names GPU compilers.
#
#   subwave_gpu_kernels(target file.hip...)   compiles the files for SUBWAVE_GPU into `target` with the options
#                                             SUBWAVE_GPU_DEFINITIONS; for AMD at the level SUBWAVE_GPU_LEVEL (O3)
#   subwave_gpu_runtime(target)               lets host sources of `target` call the HIP runtime
#   SUBWAVE_GPU_ARCHITECTURE_NAMES            "gfx90a gfx1030", "sm_80 sm_90"
#   SUBWAVE_GPU_COMPILER_NAME                 "hipcc 5.2.3", "nvcc 13.0"

if(SUBWAVE_GPU STREQUAL amd)
  find_package(hip REQUIRED CONFIG HINTS $ENV{ROCM_PATH} /opt/rocm)
  option(SUBWAVE_HIP_LANGUAGE "Compile AMD kernels by CMake's HIP language instead of by hipcc" OFF)
  if(SUBWAVE_HIP_LANGUAGE)
    set(CMAKE_HIP_ARCHITECTURES gfx90a) # for CMake's own checks, which would ask for a GPU's
    enable_language(HIP)
    set(compiler ${CMAKE_HIP_COMPILER} -x hip)
    set(SUBWAVE_GPU_COMPILER_NAME "HIP ${hip_VERSION}, clang ${CMAKE_HIP_COMPILER_VERSION}")
  else()
    # Each file is one hipcc command: it needs no CMake newer than 3.25, leaves the project's own
    # compilers alone, and is the same with every ROCm.
    find_program(SUBWAVE_HIPCC hipcc HINTS $ENV{ROCM_PATH}/bin /opt/rocm/bin REQUIRED
      DOC "hipcc, the AMD kernel compiler")
    set(compiler ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${SUBWAVE_HIPCC})
    execute_process(COMMAND ${compiler} --version OUTPUT_VARIABLE version)
    string(REGEX MATCH "clang version [0-9.]+" version "${version}")
    string(REPLACE " version" "" version "${version}")
    set(SUBWAVE_GPU_COMPILER_NAME "hipcc ${hip_VERSION}, ${version}")
  endif()

  # Each release knows more architectures. Without a wish: all that this one knows.
  set(SUBWAVE_AMD_ARCHITECTURES "" CACHE STRING
    "AMD architectures to build kernels for; empty: all that the compiler knows of those supported")
  set(wanted ${SUBWAVE_AMD_ARCHITECTURES})
  if(NOT wanted)
    set(wanted gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1201)
  endif()
  set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/architecture)
  file(WRITE ${probe}.hip "")
  set(architectures)
  set(unknown)
  foreach(architecture IN LISTS wanted)
    if(NOT architecture MATCHES "^gfx[0-9a-f]+$")
      message(FATAL_ERROR "SUBWAVE_AMD_ARCHITECTURES has \"${architecture}\"; it takes names like gfx90a")
    endif()
    if(NOT DEFINED SUBWAVE_AMD_BUILDS_${architecture})
      execute_process(RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET COMMAND ${compiler}
        --offload-device-only --offload-arch=${architecture} -c ${probe}.hip -o ${probe}.o)
      set(SUBWAVE_AMD_BUILDS_${architecture} ${status} CACHE INTERNAL "0 if the compiler can")
    endif()
    if(SUBWAVE_AMD_BUILDS_${architecture} EQUAL 0)
      list(APPEND architectures ${architecture})
    else()
      list(APPEND unknown ${architecture})
    endif()
  endforeach()
  list(JOIN architectures " " SUBWAVE_GPU_ARCHITECTURE_NAMES)
  list(JOIN unknown " " unknown)
  if(unknown AND (SUBWAVE_AMD_ARCHITECTURES OR NOT architectures))
    message(FATAL_ERROR "SUBWAVE_AMD_ARCHITECTURES: ${SUBWAVE_GPU_COMPILER_NAME} cannot build for "
      "${unknown}")
  elseif(unknown)
    message(STATUS "AMD architectures skipped: ${unknown}; ${SUBWAVE_GPU_COMPILER_NAME} cannot "
      "build for them")
  endif()
  message(STATUS "AMD architectures: ${SUBWAVE_GPU_ARCHITECTURE_NAMES}")

  list(TRANSFORM architectures PREPEND --offload-arch= OUTPUT_VARIABLE SUBWAVE_AMD_ARCHITECTURE_FLAGS)
  set(CMAKE_HIP_ARCHITECTURES ${architectures})
  set(SUBWAVE_GPU_LEVEL O3)
  # --strip-all below: names of local symbols would be a tenth of the code's size. Nothing is linked
  # for the host, about whose unused argument the compiler would warn.

  function(subwave_gpu_kernels target)
    if(SUBWAVE_HIP_LANGUAGE)
      set_source_files_properties(${ARGN} PROPERTIES LANGUAGE HIP)
      add_library(${target}_kernels_amd OBJECT ${ARGN})
      set_target_properties(${target}_kernels_amd PROPERTIES
        HIP_STANDARD 17 HIP_EXTENSIONS OFF HIP_VISIBILITY_PRESET hidden)
      target_compile_options(${target}_kernels_amd PRIVATE -${SUBWAVE_GPU_LEVEL} ${SUBWAVE_WARNINGS} ${SUBWAVE_GPU_DEFINITIONS}
        "SHELL:-Xoffload-linker --strip-all" -Wno-unused-command-line-argument)
      target_include_directories(${target}_kernels_amd PRIVATE ${PROJECT_SOURCE_DIR}/include)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels_amd>)
    else()
      foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME_WE)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_${name}_amd.o)
        add_custom_command(OUTPUT ${object}
          COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=amd ${SUBWAVE_HIPCC} -c ${file} -o ${object}
            -std=c++17 -${SUBWAVE_GPU_LEVEL} -fPIC -fvisibility=hidden ${SUBWAVE_WARNINGS}
            -Xoffload-linker --strip-all -Wno-unused-command-line-argument
            ${SUBWAVE_GPU_DEFINITIONS} ${SUBWAVE_AMD_ARCHITECTURE_FLAGS} -I${PROJECT_SOURCE_DIR}/include -MD -MF ${object}.d
          DEPENDS ${file} DEPFILE ${object}.d
          COMMENT "Compiling ${name}.hip for ${SUBWAVE_GPU_ARCHITECTURE_NAMES}" VERBATIM)
        target_sources(${target} PRIVATE ${object})
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
      endforeach()
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endfunction()

  function(subwave_gpu_runtime target)
    target_compile_definitions(${target} PRIVATE __HIP_PLATFORM_AMD__)
    # hip::host would add compile options of its own; host sources need the library alone.
    get_target_property(hip_library hip::amdhip64 IMPORTED_LOCATION_RELEASE)
    if(NOT hip_library)
      get_target_property(hip_library hip::amdhip64 LOCATION)
    endif()
    target_link_libraries(${target} PRIVATE ${hip_library})
    target_include_directories(${target} SYSTEM PRIVATE ${hip_INCLUDE_DIRS})
    set_property(GLOBAL PROPERTY SUBWAVE_GPU_LIBRARIES ${hip_library}) # for pkg-config
  endfunction()

elseif(SUBWAVE_GPU STREQUAL nvidia)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real CACHE STRING "NVIDIA architectures" FORCE)
  endif()
  enable_language(CUDA)
  # Lists that CMake has under these names; the library says by number what it holds.
  if(CMAKE_CUDA_ARCHITECTURES MATCHES "^(native|all|all-major)$")
    string(TOUPPER ${CMAKE_CUDA_ARCHITECTURES} list)
    string(REPLACE "-" "_" list CMAKE_CUDA_ARCHITECTURES_${list})
    if(NOT ${list})
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES is ${CMAKE_CUDA_ARCHITECTURES}, and CMake finds none")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${${list}})
  endif()
  find_package(CUDAToolkit REQUIRED)
  find_path(SUBWAVE_HIP_INCLUDE_DIR hip/nvidia_detail/nvidia_hip_runtime_api.h REQUIRED
    HINTS $ENV{ROCM_PATH}/include /opt/rocm/include
    DOC "Folder with HIP's headers for NVIDIA")
  string(REGEX REPLACE "-(real|virtual)" "" SUBWAVE_GPU_ARCHITECTURE_NAMES
    "${CMAKE_CUDA_ARCHITECTURES}")
  list(TRANSFORM SUBWAVE_GPU_ARCHITECTURE_NAMES PREPEND sm_)
  list(JOIN SUBWAVE_GPU_ARCHITECTURE_NAMES " " SUBWAVE_GPU_ARCHITECTURE_NAMES)
  set(SUBWAVE_GPU_COMPILER_NAME "nvcc ${CMAKE_CUDA_COMPILER_VERSION}")

  list(JOIN SUBWAVE_WARNINGS "," SUBWAVE_CUDA_WARNINGS)
  set(SUBWAVE_CUDA_WARNINGS -Xcompiler=${SUBWAVE_CUDA_WARNINGS})
  if(SUBWAVE_WERROR)
    list(APPEND SUBWAVE_CUDA_WARNINGS -Werror=all-warnings)
  endif()

  function(subwave_gpu_kernels target)
    add_library(${target}_kernels_nvidia OBJECT ${ARGN})
    # CMake learnt HIP on NVIDIA in 3.28; as CUDA the same files build with every CMake.
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
    set_target_properties(${target}_kernels_nvidia PROPERTIES CUDA_STANDARD 17)
    target_compile_options(${target}_kernels_nvidia PRIVATE -x cu
      ${SUBWAVE_CUDA_WARNINGS} -Xcompiler=-fvisibility=hidden ${SUBWAVE_GPU_DEFINITIONS})
    target_include_directories(${target}_kernels_nvidia PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels_nvidia>)
    # HIP's header for NVIDIA names a struct member in a way that C has as an extension.
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend_hip.c PROPERTIES COMPILE_OPTIONS
      "-std=gnu11;-fms-extensions")
  endfunction()

  function(subwave_gpu_runtime target)
    target_compile_definitions(${target} PRIVATE __HIP_PLATFORM_NVIDIA__)
    target_include_directories(${target} SYSTEM PRIVATE ${SUBWAVE_HIP_INCLUDE_DIR}
      ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
    set_property(GLOBAL PROPERTY SUBWAVE_GPU_LIBRARIES ${CUDA_cudart_static_LIBRARY} -lrt)
  endfunction()

elseif(NOT SUBWAVE_GPU STREQUAL none)
  message(FATAL_ERROR "SUBWAVE_GPU is \"${SUBWAVE_GPU}\"; it takes none, amd or nvidia")
endif()
