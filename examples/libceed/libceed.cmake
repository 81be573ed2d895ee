# SPDX-License-Identifier: MIT
# libCEED, for the example that is a backend of it and for the bench beside it: CEED_DIR, or SUBWAVE_LIBCEED_DIR, is the folder
# with its include and lib.
set(SUBWAVE_LIBCEED_DIR "" CACHE PATH "libCEED's folder, for the example that is a backend of it and the bench beside it")
find_path(SUBWAVE_LIBCEED_INCLUDE ceed/backend.h HINTS ${SUBWAVE_LIBCEED_DIR} $ENV{CEED_DIR} PATH_SUFFIXES include)
find_library(SUBWAVE_LIBCEED_LIBRARY ceed HINTS ${SUBWAVE_LIBCEED_DIR} $ENV{CEED_DIR} PATH_SUFFIXES lib)
mark_as_advanced(SUBWAVE_LIBCEED_INCLUDE SUBWAVE_LIBCEED_LIBRARY)
