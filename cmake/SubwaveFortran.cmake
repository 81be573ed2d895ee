# SPDX-License-Identifier: MIT
# Decides whether the Fortran module is built, by the option SUBWAVE_FORTRAN, and enables the language for it.
#
#   SUBWAVE_HAVE_FORTRAN   whether it is
#   SUBWAVE_NO_FORTRAN     otherwise why not
set(SUBWAVE_FORTRAN AUTO CACHE STRING "Build the Fortran module: AUTO (where a compiler for it is found), ON or OFF")
set_property(CACHE SUBWAVE_FORTRAN PROPERTY STRINGS AUTO ON OFF)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(SUBWAVE_NO_FORTRAN)
if(SUBWAVE_FORTRAN STREQUAL AUTO AND NOT "Fortran" IN_LIST languages)
  # A compiler that is found by itself is one for this machine. Without CMake's own flags for it, it does not know of a
  # sanitizer that the C compiler is told of.
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(SUBWAVE_NO_FORTRAN "the project around it does not use Fortran")
  elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_Fortran_COMPILER)
    set(SUBWAVE_NO_FORTRAN "CMAKE_Fortran_COMPILER names no cross compiler")
  elseif("${CMAKE_C_FLAGS}" MATCHES "-fsanitize=")
    set(SUBWAVE_NO_FORTRAN "CMAKE_C_FLAGS asks for a sanitizer")
  else()
    include(CheckLanguage)
    check_language(Fortran)
    if(NOT CMAKE_Fortran_COMPILER)
      set(SUBWAVE_NO_FORTRAN "there is no Fortran compiler (Debian: gfortran)")
    endif()
  endif()
elseif(NOT SUBWAVE_FORTRAN)
  set(SUBWAVE_NO_FORTRAN "SUBWAVE_FORTRAN is OFF")
endif()
if(NOT SUBWAVE_NO_FORTRAN)
  find_package(Python3 COMPONENTS Interpreter)
  if(NOT Python3_FOUND) # which writes the module from the C header
    set(SUBWAVE_NO_FORTRAN "Python 3 is missing")
  endif()
endif()
if(NOT SUBWAVE_NO_FORTRAN)
  enable_language(Fortran)
  set(SUBWAVE_HAVE_FORTRAN ON)
elseif(SUBWAVE_FORTRAN AND NOT SUBWAVE_FORTRAN STREQUAL AUTO)
  message(FATAL_ERROR "SUBWAVE_FORTRAN is ${SUBWAVE_FORTRAN}, but ${SUBWAVE_NO_FORTRAN}")
else()
  set(SUBWAVE_HAVE_FORTRAN OFF)
  message(STATUS "Fortran module: not built, since ${SUBWAVE_NO_FORTRAN}")
endif()
