# SPDX-License-Identifier: MIT
# Builds SOURCE by COMPILER with the flags that PKG_CONFIG gives for PACKAGE in PREFIX, and runs it.
# STATIC is --static or nothing.
cmake_minimum_required(VERSION 3.25)
if(NOT PKG_CONFIG)
  message("skipped: pkg-config is missing")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${STATIC} ${PACKAGE}
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
message("${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")
set(program ${PREFIX}/../${PACKAGE}_multiply)
execute_process(COMMAND ${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/${SOURCE} -o ${program} ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
set(ENV{LD_LIBRARY_PATH} ${PREFIX}/${LIBDIR})
execute_process(COMMAND ${program} COMMAND_ERROR_IS_FATAL ANY)
