/* SPDX-License-Identifier: MIT
 * arrays.h: what the tests of operations on whole arrays share: arrays in guarded memory, and their
 * elements.
 */
#ifndef SUBWAVE_TESTS_ARRAYS_H
#define SUBWAVE_TESTS_ARRAYS_H

#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <stdlib.h>
#include <string.h>

/* `x` and `y` are in device memory; `values` are what x holds. */
typedef struct arrays {
    subwave_context *context;
    harness_random random;
    guarded x, y;
    unsigned char *values;
    size_t capacity;
    guarded result; /* and in the host's memory */
    _Alignas(16) unsigned char on_host[32];
} arrays;

static inline arrays arrays_create(subwave_context *context)
{
    return (arrays){.context = context,
                    .random = harness_random_start(),
                    .x = {.context = context},
                    .y = {.context = context},
                    .result = {.context = context}};
}

static inline void arrays_destroy(arrays *a)
{
    guarded_destroy(&a->x);
    guarded_destroy(&a->y);
    guarded_destroy(&a->result);
    free(a->values);
}

/* Floats of mixed sizes and signs, so that every order rounds otherwise; factors near 1, so that a
 * product of them is a number. Integers are random bits, few of them 0. */
static inline void arrays_fill(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n)
{
    const size_t bytes = (size_t)n * (size_t)reference_width(dtype) / 8;
    if (bytes > a->capacity || !a->values) {
        free(a->values);
        a->capacity = bytes;
        a->values = malloc(bytes + 1);
        assert_non_null(a->values);
    }
    for (int64_t i = 0; i < n; ++i) {
        uint64_t bits = harness_random_bits(&a->random);
        if (reference_is_floating(dtype)) {
            const double unit = harness_random_sign(&a->random);
            bits = reference_encode(dtype, op == SUBWAVE_OP_MULTIPLIES
                                               ? (bits % 2 ? 1 : -1) + unit / 64
                                               : unit * (double)(1 << bits % 8));
        } else if (op == SUBWAVE_OP_MULTIPLIES) {
            bits |= 1; /* or nothing of it would be left */
        } else if (op == SUBWAVE_OP_BIT_AND || op == SUBWAVE_OP_BIT_OR) {
            bits = op == SUBWAVE_OP_BIT_AND ? ~(bits & bits >> 13 & bits >> 29 & bits >> 43)
                                            : bits & bits >> 13 & bits >> 29 & bits >> 43;
        }
        if (op == SUBWAVE_OP_LOGICAL_AND)
            bits |= reference_is_floating(dtype) ? 0 : 1;
        if (op == SUBWAVE_OP_LOGICAL_OR)
            bits = 0;
        reference_store(dtype, a->values, i, bits);
    }
    if (n > 0 && (op == SUBWAVE_OP_LOGICAL_AND || op == SUBWAVE_OP_LOGICAL_OR) &&
        harness_random_bits(&a->random) % 2) /* one element alone decides */
        reference_store(dtype, a->values, (int64_t)(harness_random_bits(&a->random) % (uint64_t)n),
                        reference_encode(dtype, op == SUBWAVE_OP_LOGICAL_OR));
}

/* Where a call is to write a result of so many bytes: the host's memory or the device's. */
static inline void *arrays_result(arrays *a, subwave_place place, size_t alignment, size_t bytes)
{
    assert_true(bytes <= sizeof a->on_host);
    harness_fill(HARNESS_A5, a->on_host, sizeof a->on_host);
    guarded_reset(&a->result, alignment, a->on_host, bytes);
    return place == SUBWAVE_PLACE_HOST ? (void *)a->on_host : guarded_pointer(&a->result);
}
/* What it wrote, and that it wrote nothing else. */
static inline const void *arrays_result_read(arrays *a, subwave_place place, size_t bytes)
{
    if (place == SUBWAVE_PLACE_HOST)
        assert_int_equal(guarded_changes(&a->result), 0);
    else
        assert_int_equal(guarded_read(&a->result, a->on_host), 0);
    for (size_t i = bytes; i < sizeof a->on_host; ++i)
        assert_int_equal(a->on_host[i], 0xa5);
    assert_int_equal(guarded_changes(&a->x), 0);
    return a->on_host;
}

/* A number of elements: so many packs, and elements more. */
typedef struct array_size {
    int packs, elements;
} array_size;

/* None, single ones, around rows of 256 packs and around tiles of four rows. */
static const array_size fold_sizes[] = {
    {0, 0},       {0, 1},           {1, 0},           {1, 1},       {7, 1},
    {256, 0},     {256 - 1, 1},     {256 + 1, 0},     {3 * 256, 0}, {4 * 256, 0},
    {4 * 256, 1}, {4 * 256 + 1, 0}, {9 * 256 + 77, 1}};

/* Calls check(arrays, dtype, op, n, turn) for every dtype, op and size. */
static inline void arrays_check_all(subwave_context *context, const array_size *sizes, size_t count,
                                    void (*check)(arrays *a, subwave_dtype dtype, subwave_op op,
                                                  int64_t n, unsigned turn))
{
    arrays a = arrays_create(context);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_ops); ++o) {
            const subwave_dtype dtype = number_dtypes[d];
            if (!reference_has_op(dtype, all_ops[o]))
                continue;
            const int pack = 128 / reference_width(dtype);
            for (size_t s = 0; s < count; ++s, ++turn)
                check(&a, dtype, all_ops[o], (int64_t)sizes[s].packs * pack + sizes[s].elements,
                      turn);
        }
    arrays_destroy(&a);
}

#endif
