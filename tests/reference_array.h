/* SPDX-License-Identifier: MIT
 * reference_array.h: what the operations on arrays must give, bit for bit, in the fixed order of
 * docs/arrays.md, in plain C. Elements are bits, as in reference.h.
 */
#ifndef SUBWAVE_TESTS_REFERENCE_ARRAY_H
#define SUBWAVE_TESTS_REFERENCE_ARRAY_H

#include <subwave/types.h>

/* op over the n elements of x, with *init, if it is not null, in front. */
uint64_t reference_array_reduce(subwave_dtype dtype, subwave_op op, const void *x, int64_t n,
                                const uint64_t *init);

/* y: the inclusive or exclusive scan of the n elements of x, from *init if it is not null. */
void reference_array_scan(subwave_dtype dtype, subwave_op op, subwave_scan_kind scan, const void *x,
                          int64_t n, const uint64_t *init, void *y);

/* Items of a work-item's part, in the order of segmented reductions. */
int reference_array_segmented_items(subwave_dtype dtype);
/* y[s]: op over the elements from offsets[s] up to offsets[s + 1], which ascend, for `segments` of
 * them. */
void reference_array_segmented_reduce(subwave_dtype dtype, subwave_op op, int64_t segments,
                                      const int64_t *offsets, const void *x, void *y);
/* The same of a scan; elements of y that belong to no segment stay as they are. */
void reference_array_segmented_scan(subwave_dtype dtype, subwave_op op, subwave_scan_kind scan,
                                    int64_t segments, const int64_t *offsets, const void *x,
                                    void *y);

/* *result: the sum of the products of the n elements of x and y. */
void reference_array_dot(subwave_dtype dtype, subwave_conjugation conjugation, const void *x,
                         const void *y, int64_t n, void *result);

/* The norm of the n elements of x, of the type of their real parts. */
uint64_t reference_array_norm2(subwave_dtype dtype, const void *x, int64_t n);

/* Whether a compares so with b: bits of numbers, none of them complex. */
bool reference_compares(subwave_dtype dtype, subwave_comparison comparison, uint64_t a, uint64_t b);
/* chosen[i] = whether element i of x differs from the one before it; chosen[0] = 1. */
void reference_array_unequal(subwave_dtype dtype, const void *x, int64_t n, uint8_t *chosen);
/* The elements of x with chosen[i] != 0 to y, in order, and the others to rest if that is not null;
 * returns how many are chosen. */
int64_t reference_array_partition(subwave_dtype dtype, const uint8_t *chosen, const void *x,
                                  int64_t n, void *y, void *rest);

/* Where in x the least or greatest of n elements is first, and *value; -1 if there is none. */
int64_t reference_array_minmax_index(subwave_dtype dtype, subwave_op op, const void *x, int64_t n,
                                     uint64_t *value);

/* Where a bin of a histogram begins, of bins of the same width; of bin `bins`, where the last one
 * ends. */
double reference_array_edge(int64_t bin, int64_t bins, double lower, double upper);

/* results: how many of the n elements of x, int64_t, are in each of `bins` bins, between boundaries
 * if they are not null, and otherwise of the same width between lower and upper. Or, if weights are
 * not null, what those of these elements add up to; of floats in fixed point. */
void reference_array_histogram(subwave_dtype dtype, int64_t bins, double lower, double upper,
                               const void *boundaries, int64_t n, const void *x,
                               const void *weights, void *results);

/* y[indices[i]] += x[i] for n elements whose index is not outside of 0 ... cells - 1; of floats in
 * fixed point. */
void reference_array_scatter_add(subwave_dtype dtype, int64_t n, const int64_t *indices,
                                 const void *x, int64_t cells, void *y);

#endif
