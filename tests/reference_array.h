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

#endif
