/* SPDX-License-Identifier: MIT
 * reference.h: what the operations must give, in plain C; knows no device.
 */
#ifndef SUBWAVE_TESTS_REFERENCE_H
#define SUBWAVE_TESTS_REFERENCE_H

#include <subwave/types.h>

/* A matrix as stored: element (i, j) is at index reference_index(). */
typedef struct reference_matrix {
    void *data;
    subwave_dtype dtype;
    bool column_major;
    int64_t rows, columns, ld;
} reference_matrix;

int64_t reference_index(const reference_matrix *matrix, int64_t i, int64_t j);
/* Not of complex matrices; with a part's number, of all: a real number has one. */
double reference_get(const reference_matrix *matrix, int64_t i, int64_t j);
void reference_set(const reference_matrix *matrix, int64_t i, int64_t j, double value);
double reference_get_part(const reference_matrix *matrix, int64_t i, int64_t j, int part);
void reference_set_part(const reference_matrix *matrix, int64_t i, int64_t j, int part,
                        double value);
int reference_parts(subwave_dtype dtype); /* 2 of complex types, 1 of others */

/* C = alpha op(A) op(B) + beta C, of real types with the first of alpha and of beta alone. */
typedef struct reference_problem {
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t k;
    double alpha[2], beta[2];
    const reference_matrix *a, *b, *c;
    bool b_first; /* a b is added as b a, which exchanges the real products of its imaginary part */
} reference_problem;

/* It is summed in double whatever the type. `result` and `bound` have a number for each part of m x
 * n elements, row after row. A right cell differs from `result` by no more than `bound`, which is (k
 * + 3) eps (|alpha| sum |a||b| + |beta c|), eps of the type that sums have, and
 * reference_rounding() more; of complex numbers x with 2 k + 6, and |re x| + |im x| for |x|. Of
 * integers it is 0, and `result` wraps; all numbers must be below 2^53. alpha = 0 and beta = 0 do
 * not read what they multiply. */
void reference_matmul(const reference_problem *product, double *result, double *bound);

/* A part of one cell by the plain loop over k, in the type that sums have and without fused
 * operations: each product of two real numbers is added by itself. */
double reference_matmul_cell(const reference_problem *product, int64_t i, int64_t j, int part);

/* --- types, as their list has them ----------------------------------------------------------- */

int reference_width(subwave_dtype dtype);    /* bits of an element */
int reference_fraction(subwave_dtype dtype); /* of the fraction of a float, or of a complex part */
subwave_dtype reference_sums(subwave_dtype dtype);    /* also what alpha and beta are of */
subwave_dtype reference_product(subwave_dtype dtype); /* what C is of */
subwave_dtype reference_part(subwave_dtype dtype);    /* of a complex number, or the type itself */
bool reference_is_complex(subwave_dtype dtype);
bool reference_is_floating(subwave_dtype dtype); /* and real */
bool reference_is_integer(subwave_dtype dtype);
/* Half a unit in the last place of numbers up to `size`, of types whose sums have a wider one; of
 * others 0. */
double reference_rounding(subwave_dtype dtype, double size);

/* --- elements as bits ------------------------------------------------------------------------ */

/* An element of at most 8 bytes is a uint64_t with its bits, zero-filled. The types that have no
 * arithmetic, complex ones, abort. */
uint64_t reference_load(subwave_dtype dtype, const void *array, int64_t i);
void reference_store(subwave_dtype dtype, void *array, int64_t i, uint64_t bits);

/* The number that bits stand for; the bits nearest to a number, ties to even. Of integers those of
 * a whole number, which wraps; unsigned ones are below 2^63. */
double reference_decode(subwave_dtype dtype, uint64_t bits);
uint64_t reference_encode(subwave_dtype dtype, double number);
/* Equal bits, or both NaN. */
bool reference_same(subwave_dtype dtype, uint64_t a, uint64_t b);

/* --- operations and groups ------------------------------------------------------------------- */

bool reference_has_op(subwave_dtype dtype, subwave_op op);
/* a op b. Integers wrap; floats below 32 bits are computed in float and rounded. */
uint64_t reference_combine(subwave_dtype dtype, subwave_op op, uint64_t a, uint64_t b);
/* What combines with any element to that element. */
uint64_t reference_identity(subwave_dtype dtype, subwave_op op);

/* x[lane] combined over `lanes`, one at least, in the promised order: of the 64 lane positions each
 * half, of which each half and so on, is combined by itself, and the lower with the upper; one that
 * holds no lane is left out. */
uint64_t reference_reduce(subwave_dtype dtype, subwave_op op, uint64_t lanes, const uint64_t *x);
/* Replaces x[lane] by the combination over `lanes` up to it, in the promised order: each half is
 * scanned by itself, then the whole of the lower enters each lane of the upper. */
void reference_scan(subwave_dtype dtype, subwave_op op, uint64_t lanes, uint64_t *x);

#endif
