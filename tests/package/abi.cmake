# SPDX-License-Identifier: MIT
# The binary form of the C interface against its baseline, abi.xml: what a compiled program relies on does not change,
# new functions and values may come. UPDATE writes the baseline anew.
#
# What is compared is the header alone: each declaration becomes a function without a body, compiled by CC in FOLDER.
# That the library's functions are the header's, the compiler checks, and that all are there, symbols.cmake.
cmake_minimum_required(VERSION 3.25)
set(baseline ${CMAKE_CURRENT_LIST_DIR}/abi.xml)
find_program(ABIDW abidw)
find_program(ABIDIFF abidiff)
if(NOT ABIDW OR NOT ABIDIFF)
  set(reason "abidw and abidiff are missing (Debian: abigail-tools)")
  if(UPDATE)
    message(FATAL_ERROR "${reason}")
  endif()
  message("skipped: ${reason}")
  return()
endif()

# describe(name changed from to): FOLDER/name.xml from the headers. In the one that `changed` names, if any, `from` has
# become `to`.
function(describe name changed from to)
  file(REMOVE_RECURSE ${FOLDER}/include)
  foreach(file subwave.h types.h)
    file(READ ${INCLUDE}/subwave/${file} text)
    if(file STREQUAL "${changed}")
      set(before "${text}")
      string(REPLACE "${from}" "${to}" text "${text}")
      if(text STREQUAL before)
        message(FATAL_ERROR "${file} has no \"${from}\"")
      endif()
    endif()
    file(WRITE ${FOLDER}/include/subwave/${file} "${text}")
    if(file STREQUAL subwave.h)
      string(REPLACE ");" ") { __builtin_trap(); }" text "${text}")
      file(WRITE ${FOLDER}/abi.c "${text}")
    endif()
  endforeach()
  execute_process(WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${CC} -std=c11 -g -shared -fPIC -Iinclude abi.c -o abi.so)
  execute_process(WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${ABIDW} --no-corpus-path --no-comp-dir-path --no-elf-needed --no-show-locs --type-id-style hash
      --out-file ${name}.xml abi.so)
endfunction()

# compare(old new): sets `changed` to whether something that was there is not as it was, and `text` to what.
function(compare old new)
  execute_process(COMMAND ${ABIDIFF} --no-added-syms ${old} ${new} RESULT_VARIABLE status
    OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT status MATCHES "^[0-9]+$" OR status MATCHES "^[1-3]$") # those of abidiff that say it could not compare
    message(FATAL_ERROR "abidiff ended with ${status}: ${errors}")
  endif()
  set(changed ${status} PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

describe(today "" "" "")
set(today ${FOLDER}/today.xml)
if(UPDATE)
  file(COPY_FILE ${today} ${baseline})
  message("${baseline} is written")
  return()
endif()
compare(${baseline} ${today})
if(changed)
  message(SEND_ERROR "The interface is no longer that of abi.xml. Programs that were compiled before this break; where "
    "no release has it yet, or a new major version begins: cmake --build BUILD --target subwave_abi_baseline\n${text}")
endif()

# The test itself: it fails for what breaks a program, and passes what does not.
function(expect change verdict file from to)
  describe(changed ${file} "${from}" "${to}")
  compare(${today} ${FOLDER}/changed.xml)
  if((changed AND verdict STREQUAL passes) OR (NOT changed AND verdict STREQUAL fails))
    message(SEND_ERROR "${change} should be what ${verdict}\n${text}")
  endif()
endfunction()
expect("a lost field" fails types.h "int32_t parts;" "")
expect("a field of another type" fails types.h "int32_t parts;" "int64_t parts;")
expect("an argument of another type" fails subwave.h "uint32_t delta" "uint64_t delta")
expect("another value of an enumerator" fails types.h "X(SKINNY, 7," "X(SKINNY, 107,")
set(version "SUBWAVE_API const char *subwave_version(void);")
expect("a lost function" fails subwave.h "${version}" "")
expect("a new function" passes subwave.h "${version}" "${version}\nSUBWAVE_API int subwave_new(int x);")
expect("a new enumerator" passes types.h "X(SKINNY, 7," "X(NEW, 107, \"new\") X(SKINNY, 7,")
