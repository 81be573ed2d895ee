# SPDX-License-Identifier: MIT
# half.cmake: NVCC compiles SOURCE with CUDA's header of `half` before subwave's, after it and not at all, and with HIP's
# headers, if they are in HIP; as users do without a build system (docs/nvidia.md).
set(ways -DPLAIN "-DFIRST=<cuda_fp16.h>" "-DLAST=<cuda_fp16.h>")
if(HIP)
  list(APPEND ways "-DFIRST=<subwave/device/hip_cuda13.h>")
endif()
foreach(way IN LISTS ways)
  execute_process(COMMAND ${NVCC} -x cu -std=c++17 -arch=sm_80 -Werror all-warnings ${way} -I${INCLUDE} -I${HIP}
    -D__HIP_PLATFORM_NVIDIA__ -D__HIP_PLATFORM_NVCC__ -c ${SOURCE} -o ${OBJECT}
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${way}: ${text}")
  endif()
endforeach()
