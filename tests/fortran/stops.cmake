# SPDX-License-Identifier: MIT
# Runs PROGRAM (stops.f90) for calls that fail: the call without a status ends it with 1 and the library's text.
cmake_minimum_required(VERSION 3.25)
set(ENV{SUBWAVE_LOG})

function(expect call out err)
  execute_process(COMMAND ${PROGRAM} ${call} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status STREQUAL "1" OR NOT output STREQUAL "${out}" OR NOT errors MATCHES "${err}")
    message(SEND_ERROR "${call} ended with ${status}, and wrote\n${output}\nand\n${errors}")
  endif()
endfunction()

expect(create "" "(^|\n)subwave_context_create: an argument is outside its list of values: device is \"cpu:7\"")
expect(synchronize "" "(^|\n)subwave_synchronize: the context is null: ")
expect(reduce "goes on with a status\n" "(^|\n)subwave_reduce: a size is negative or too large: n is -1")
