# SPDX-License-Identifier: MIT
# subwave_cpu_kernels(<target> <file.hip>...): compiles HIP sources for the CPU device into a target.

# The files become C++ sources of <target>, whatever their suffix, and <target>
# is linked with subwave::cpu, whose headers play <hip/hip_runtime.h>.
function(subwave_cpu_kernels target)
  target_sources(${target} PRIVATE ${ARGN})
  # LANGUAGE alone tells the compiler only under policy CMP0119
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    LANGUAGE CXX
    COMPILE_OPTIONS "-x;c++")
  target_link_libraries(${target} PRIVATE subwave::cpu)
endfunction()
