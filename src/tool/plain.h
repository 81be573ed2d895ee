/* SPDX-License-Identifier: MIT
 * plain.h: the matrix product in plain C, all matrices row-major without gaps: the peer that the
 * devices are timed beside, and the reference that they are checked by.
 */
#ifndef SUBWAVE_TOOL_PLAIN_H
#define SUBWAVE_TOOL_PLAIN_H

#include <subwave/types.h>

/* c = a b in f32 or f64: what a C program would do without a library; one thread. */
void plain_matmul(subwave_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                  const void *b, void *c);

/* Element i of an array of f16, bf16, f32 or f64. */
double plain_value(subwave_dtype dtype, const void *array, int64_t i);

/* Row i of a b summed in f64, and the sums of the terms' magnitudes; n of each. */
void plain_row(subwave_dtype dtype, int64_t i, int64_t n, int64_t k, const void *a, const void *b,
               double *sum, double *magnitude);

/* The same for the cell (i, j). */
void plain_cell(subwave_dtype dtype, int64_t i, int64_t j, int64_t n, int64_t k, const void *a,
                const void *b, double *sum, double *magnitude);

#endif
