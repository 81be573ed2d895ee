/* SPDX-License-Identifier: MIT
 * npy.h: matrices and arrays in NumPy's .npy files.
 */
#ifndef SUBWAVE_TOOL_NPY_H
#define SUBWAVE_TOOL_NPY_H

#include <subwave/types.h>

enum {
    NPY_ERROR_SIZE = 512,
    NPY_MOST_DIMENSIONS = 32 /* NumPy's own limit, up to its version 1 */
};

typedef struct npy_matrix {
    subwave_dtype dtype;   /* of a matrix F16, F32, F64, C32, C64, I8 or I32; I8 is not written */
    int64_t rows, columns; /* of an array all its elements, and 1 */
    bool fortran;          /* stored column by column */
    bool swapped;          /* in a header only: the file has the other byte order */
    void *data;            /* the caller frees it */
    /* Of an array, whose elements are taken as they lie, whatever its shape. */
    bool is_array;
    bool is_flags; /* of which each has a byte, and which may be booleans, read as U8 */
    int dimensions;
    int64_t sizes[NPY_MOST_DIMENSIONS];
} npy_matrix;

/* On failure these return false and leave the reason, without the path, in `error`, which has
 * NPY_ERROR_SIZE bytes. */

/* Reads a header's dictionary, the text after the header's length. `data` is set to null. */
bool npy_parse_header(const char *text, size_t length, npy_matrix *matrix, char *error);

/* Reads a whole file; elements come in this machine's byte order. */
bool npy_read(const char *path, npy_matrix *matrix, char *error);

/* The same of an array of any shape, of integers, floats or complex numbers. */
bool npy_read_array(const char *path, npy_matrix *array, char *error);

/* The same of flags, which may also be NumPy's booleans. */
bool npy_read_flags(const char *path, npy_matrix *flags, char *error);

/* Whether npy_write could start: so that a long job need not end with a mistyped folder. */
bool npy_check_target(const char *path, char *error);

/* Writes a file that appears under `path` complete or not at all. A link is followed. */
bool npy_write(const char *path, const npy_matrix *matrix, char *error);

/* Bytes of rows x columns elements, or false where that exceeds the address space. */
bool npy_size(const npy_matrix *matrix, size_t *bytes);

#endif
