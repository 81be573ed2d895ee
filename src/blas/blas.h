/* SPDX-License-Identifier: MIT
 * blas.h: what the files of libsubwave_blas share: a product as they pass it on, and who computes
 * it.
 */
#ifndef SUBWAVE_BLAS_BLAS_H
#define SUBWAVE_BLAS_BLAS_H

#include <subwave/subwave.h>

/* A matrix by columns: of each entry of a batch, `stride` elements after the one before. */
typedef struct subwave_blas_matrix {
    void *first; /* of A and B only read */
    int64_t ld, stride;
} subwave_blas_matrix;

/* C = alpha op(A) op(B) + beta C for each entry of a batch. */
typedef struct subwave_blas_product {
    subwave_dtype dtype;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    subwave_blas_matrix a, b, c;
    int64_t batch;
} subwave_blas_product;

/* Element (row, column) of `x`, as it is stored, of the entry. */
static inline void *subwave_blas_at(const subwave_blas_matrix *x, subwave_dtype dtype, int64_t row,
                                    int64_t column, int64_t entry)
{
    return (char *)x->first +
           (row + column * x->ld + entry * x->stride) * (int64_t)subwave_dtype_size(dtype);
}

/* --- settings.c ------------------------------------------------------------------------------ */

/* What the environment says, read at the first call. */
typedef struct subwave_blas_settings {
    int64_t minimum; /* of m n k, below which the next BLAS computes; -1: the device's default */
    bool copies;     /* also where the device can read the caller's memory */
    void *library;   /* the next BLAS, by name; null: the next in the process */
    char error[320]; /* what cannot be understood, or "" */
} subwave_blas_settings;
const subwave_blas_settings *subwave_blas_get_settings(void);

/* --- next.c ---------------------------------------------------------------------------------- */

/* Whether there is a next BLAS that has the product's function. */
bool subwave_blas_has_next(subwave_dtype dtype);
/* Whether the function is this library's, which cannot be its own next BLAS. */
bool subwave_blas_is_own(const void *function);
/* Computes the product by it. */
void subwave_blas_call_next(const subwave_blas_product *p);

/* --- device.c -------------------------------------------------------------------------------- */

/* Computes the product, whose arguments are right and which is not empty: by subwave, or by the
 * next BLAS if it is too small for a device or subwave cannot. `routine` is for messages. Does not
 * return if nobody can. */
void subwave_blas_compute(const char *routine, const subwave_blas_product *p);

/* --- xerbla.c -------------------------------------------------------------------------------- */

/* Reports argument `number` of `routine`, as Fortran counts, to the program's XERBLA if there is
 * one. */
void subwave_blas_xerbla(const char *routine, int number);
/* The same as C counts, to its cblas_xerbla; `value` is for a text `form` that takes it, or "". */
void subwave_blas_cblas_xerbla(const char *routine, int number, bool row_major, const char *form,
                               int value);
/* Ends the program with a line on stderr. */
_Noreturn void subwave_blas_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
