# SPDX-License-Identifier: MIT
# gpu_tests.cmake: run by ctest: adds each test with the label gpu again, as <name>.<architecture> on the ROCm
# runner; those named -full only where SUBWAVE_ROCM_RUNNER_FULL is on. rocm.kernels.<architecture> runs after the quick
# tests of the C library and rocm.tiles, and fails if their reports have no launch of some kernel; rocm.reports.<architecture>
# removes the reports of an earlier run. Both run with any of these tests; where some of these have not run, the former is
# skipped.
if(DEFINED ENV{SUBWAVE_GPU_TESTS_ARE_LISTED})
  return() # by the ctest below
endif()
set(ENV{SUBWAVE_GPU_TESTS_ARE_LISTED} 1)
execute_process(COMMAND ${ctest} --test-dir ${build} --show-only=json-v1 -L "^gpu$" OUTPUT_VARIABLE list ERROR_QUIET)
unset(ENV{SUBWAVE_GPU_TESTS_ARE_LISTED})
string(JSON count LENGTH "${list}" tests)

# The elements of a list in the JSON text as a list of CMake's.
function(elements variable)
  string(JSON length ERROR_VARIABLE none LENGTH "${list}" ${ARGN})
  set(found)
  if(NOT none AND length GREATER 0)
    math(EXPR last "${length} - 1")
    foreach(i RANGE ${last})
      string(JSON element GET "${list}" ${ARGN} ${i})
      list(APPEND found "${element}")
    endforeach()
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

if(count GREATER 0)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${list}" tests ${i} name)
    if(name MATCHES "-full\\." AND NOT full)
      continue()
    endif()
    string(JSON properties LENGTH "${list}" tests ${i} properties)
    elements(command tests ${i} command)
    if(NOT command)
      set(command "${name} is not built") # so ctest has no command for it
    endif()
    set(environment)
    set(timeout 300)
    math(EXPR last_property "${properties} - 1")
    foreach(p RANGE ${last_property})
      string(JSON property GET "${list}" tests ${i} properties ${p} name)
      if(property STREQUAL ENVIRONMENT)
        elements(environment tests ${i} properties ${p} value)
      elseif(property STREQUAL TIMEOUT)
        string(JSON timeout GET "${list}" tests ${i} properties ${p} value)
      endif()
    endforeach()
    foreach(architecture IN LISTS architectures)
      add_test("${name}.${architecture}" ${command})
      set(more "LD_LIBRARY_PATH=${library_folder};SUBWAVE_ROCM_RUNNER=${architecture}")
      if(name MATCHES "^api\\.(determinism|group|matmul_grouped)\\.")
        string(APPEND more ";SUBWAVE_ROCM_UNITS=8") # their grids grow with the number of compute units
      endif()
      if(check_kernels AND name MATCHES "^api\\." AND NOT name MATCHES "-full\\.")
        set(report ${reports}/${name}.${architecture})
        list(APPEND reports_${architecture} ${report})
        string(APPEND more ";SUBWAVE_ROCM_REPORT=${report}")
        set_tests_properties("${name}.${architecture}" PROPERTIES FIXTURES_REQUIRED rocm-reports-${architecture})
      endif()
      # A test that was skipped ran on no device: here there is one. COST has ctest -j begin with these, the longest
      # tests of a build: one that is left at the end runs alone.
      set(cost 10)
      if(name STREQUAL "perf.bench.gpu")
        set(cost 100)
      endif()
      set_tests_properties("${name}.${architecture}" PROPERTIES LABELS "emulated;full" TIMEOUT ${timeout} COST ${cost}
        ENVIRONMENT "${environment};${more}")
    endforeach()
  endforeach()
endif()

foreach(architecture IN LISTS architectures)
  if(check_kernels)
    list(APPEND reports_${architecture} ${reports}/rocm.tiles.${architecture})
    file(MAKE_DIRECTORY ${reports})
    add_test(rocm.reports.${architecture} ${cmake} -E rm -f ${reports_${architecture}})
    add_test(rocm.kernels.${architecture} ${check_kernels} ${architecture} ${reports_${architecture}})
    set_tests_properties(rocm.reports.${architecture} PROPERTIES LABELS "emulated;full" TIMEOUT 60
      FIXTURES_SETUP rocm-reports-${architecture})
    set_tests_properties(rocm.kernels.${architecture} PROPERTIES LABELS "emulated;full" TIMEOUT 60 SKIP_RETURN_CODE 77
      FIXTURES_CLEANUP rocm-reports-${architecture})
  endif()
endforeach()
