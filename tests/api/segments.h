/* SPDX-License-Identifier: MIT
 * segments.h: what the tests of operations on segments share: segments of many kinds of lengths,
 * and their offsets in guarded memory.
 */
#ifndef SUBWAVE_TESTS_SEGMENTS_H
#define SUBWAVE_TESTS_SEGMENTS_H

#include "arrays.h"

#include "../reference_array.h"

enum { BLOCK = 256, GROUP = 256 }; /* of the order, docs/arrays.md */

/* --- segments -------------------------------------------------------------------------------- */

typedef enum lengths {
    SHORT,     /* 0 to 8 */
    LONG,      /* 0 to 1000 */
    POWER_LAW, /* few long ones, many short ones */
    HALF_EMPTY,
    ALL_EMPTY,
    EMPTY_AT_ONCE, /* all but a few, in one place */
    ALL_IN_ONE,
    TO_TILES, /* each with its end a tile, or one item more or less */
    TO_PARTS, /* each with its end a work-item's part */
    LENGTHS,
} lengths;
static const char *const lengths_names[] = {"short",      "long",      "power law",
                                            "half empty", "all empty", "empty at once",
                                            "all in one", "to tiles",  "to parts"};

static inline int64_t length_of(harness_random *random, lengths kind, int each, int64_t n,
                                int64_t segment)
{
    const uint64_t bits = harness_random_bits(random);
    switch (kind) {
    case SHORT:
        return (int64_t)(bits % 9);
    case LONG:
        return (int64_t)(bits % 1001);
    case POWER_LAW:
        return (int64_t)(1 / (1e-5 + (double)(bits % 65536) / 65536)) % (n / 3 + 1);
    case HALF_EMPTY:
        return bits % 2 ? 0 : (int64_t)(bits / 2 % 40);
    case EMPTY_AT_ONCE:
        return segment == n / 2 || segment == n - 3 ? n / 2 : 0;
    case ALL_IN_ONE:
        return n;
    case TO_TILES:
        return (int64_t)BLOCK * each - 1 + (segment % 8 == 3) - (segment % 8 == 4);
    case TO_PARTS:
        return each - 1;
    default:
        return 0;
    }
}

/* Segments of at most n elements, or n if all are empty; the first begins at `first`. */
typedef struct segments {
    int64_t count, *offsets;
} segments;

static inline segments segments_create(harness_random *random, lengths kind, int each, int64_t n,
                                       int64_t first)
{
    const int64_t most = kind == ALL_IN_ONE ? 1 : n;
    segments s = {0, malloc((size_t)(most + 1) * sizeof *s.offsets)};
    assert_non_null(s.offsets);
    s.offsets[0] = first;
    while (s.count < most) {
        const int64_t length = length_of(random, kind, each, n, s.count);
        if (s.offsets[s.count] + length > first + n)
            break;
        s.offsets[s.count + 1] = s.offsets[s.count] + length;
        ++s.count;
    }
    return s;
}

/* Offsets that are no segments' of n elements, of several kinds. */
enum { WRONG_KINDS = 7 };
static inline segments segments_wrong(harness_random *random, int kind, int64_t count, int64_t n)
{
    const segments s = {count, malloc((size_t)(count + 1) * sizeof *s.offsets)};
    assert_non_null(s.offsets);
    for (int64_t i = 0; i <= count; ++i) {
        const uint64_t bits = harness_random_bits(random);
        s.offsets[i] = kind == 0   ? n - i * (n / count)
                       : kind == 1 ? (int64_t)(bits % (uint64_t)n)
                       : kind == 2 ? (int64_t)bits
                       : kind == 3 ? -(int64_t)(bits % 100)
                       : kind == 4 ? n + (int64_t)(bits % 100)
                       : kind == 5 ? (i % 2 ? INT64_MAX : INT64_MIN)
                                   : (i < count ? i * n / count : 0);
    }
    return s;
}

/* As the caller has them. */
static inline void *offsets_of(const int64_t *offsets, int64_t count, subwave_dtype dtype,
                               size_t *bytes)
{
    const bool wide = dtype == SUBWAVE_DTYPE_I64;
    *bytes = (size_t)(count + 1) * (wide ? 8 : 4);
    void *as = malloc(*bytes);
    assert_non_null(as);
    for (int64_t i = 0; i <= count; ++i)
        if (wide)
            ((int64_t *)as)[i] = offsets[i];
        else
            ((int32_t *)as)[i] = (int32_t)offsets[i];
    return as;
}

/* Memory for offsets, beside arrays'. */
typedef struct fixture {
    arrays a;
    guarded offsets;
} fixture;

static inline fixture fixture_create(subwave_context *context)
{
    return (fixture){.a = arrays_create(context), .offsets = {.context = context}};
}
static inline void fixture_destroy(fixture *f)
{
    arrays_destroy(&f->a);
    guarded_destroy(&f->offsets);
}

#endif
