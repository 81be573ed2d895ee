/* SPDX-License-Identifier: MIT
 * fuzz_select.c: the calls that select elements of an array.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPACT, COMPACT_IF, PARTITION, PARTITION_IF, UNIQUE, APPEND, APPEND_IF, KINDS };
static const char *const names[] = {"compact", "compact_if", "partition", "partition_if",
                                    "unique",  "append",     "append_if"};

/* The arguments, wrong ones too. */
typedef struct select_call {
    int kind;
    bool compares, has_rest, appends;
    subwave_context *handle;
    int32_t dtype, comparison;
    int64_t n, capacity;
    const void *flags, *scalar, *x;
    void *y, *rest, *count;

    /* What is in memory, and what is selected of it. */
    fuzz_memory *on_x, *on_y, *on_rest, *on_count;
    uint8_t *chosen;
    unsigned char *selected, *others; /* room for n elements each */
    int64_t selected_count, there;    /* there: in the queue before */
} select_call;

/* One of few, so that many are equal. */
static uint64_t random_part(fuzz *f, subwave_dtype dtype)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 1.5};
    return reference_is_floating(dtype) ? reference_encode(dtype, FUZZ_PICK(f, special))
                                        : fuzz_bits(f) & (fuzz_one_in(f, 2) ? 1 : ~(uint64_t)0);
}

static void choose(fuzz *f, select_call *r)
{
    static const int64_t most[] = {3, 100, 3000, 30000, 100000};
    do
        r->dtype = (int32_t)FUZZ_PICK(f, all_dtypes);
    while (r->compares && reference_is_complex((subwave_dtype)r->dtype));
    const subwave_dtype dtype = (subwave_dtype)r->dtype, part = reference_part(dtype);
    r->comparison = (int32_t)FUZZ_PICK(f, all_comparisons);
    r->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    const size_t size = subwave_dtype_size(dtype), alignment = subwave_dtype_size(part),
                 bytes = (size_t)r->n * size;
    const int64_t parts = (int64_t)(size / alignment);
    r->on_x = fuzz_take(f, FUZZ_DEVICE, "x", bytes, alignment);
    for (int64_t i = 0; i < r->n * parts; ++i)
        reference_store(part, r->on_x->contents, i, random_part(f, part));
    uint64_t scalar = 0;
    reference_store(part, &scalar, 0, random_part(f, part));
    r->chosen = malloc((size_t)r->n + 1);
    r->selected = malloc(bytes + 1);
    r->others = malloc(bytes + 1);
    const int density = (int)fuzz_between(f, 0, 8);
    if (r->kind == UNIQUE)
        reference_array_unequal(dtype, r->on_x->contents, r->n, r->chosen);
    for (int64_t i = 0; i < r->n && r->kind != UNIQUE; ++i)
        r->chosen[i] = r->compares
                           ? reference_compares(dtype, (subwave_comparison)r->comparison,
                                                reference_load(dtype, r->on_x->contents, i), scalar)
                           : (uint8_t)(fuzz_between(f, 1, 8) <= density ? fuzz_bits(f) : 0);
    r->selected_count = reference_array_partition(dtype, r->chosen, r->on_x->contents, r->n,
                                                  r->selected, r->others);
    r->flags = fuzz_put(f, FUZZ_DEVICE, "flags", r->chosen, (size_t)r->n, 1)->pointer;
    r->scalar = fuzz_put(f, FUZZ_HOST, "scalar", &scalar, size < 8 ? size : 8, 1)->pointer;
    /* The outputs have no more room than they need; a queue may have less. */
    r->there = fuzz_one_in(f, 2) ? 0 : fuzz_between(f, 0, 100);
    r->capacity = r->there + r->selected_count;
    if (fuzz_one_in(f, 3))
        r->capacity = fuzz_between(f, 0, r->capacity + 9);
    r->on_y = r->appends ? fuzz_take(f, FUZZ_DEVICE, "queue", (size_t)r->capacity * size, alignment)
              : fuzz_one_in(f, 3)
                  ? r->on_x
                  : fuzz_take(f, FUZZ_DEVICE, "y", (size_t)r->selected_count * size, alignment);
    r->on_rest =
        fuzz_take(f, FUZZ_DEVICE, "rest", bytes - (size_t)r->selected_count * size, alignment);
    r->on_count = fuzz_take(f, FUZZ_DEVICE, "count", sizeof(int64_t), sizeof(int64_t));
    r->x = r->n ? (const void *)r->on_x->pointer : fuzz_nowhere(f);
    r->y = r->n ? (void *)r->on_y->pointer : fuzz_nowhere(f);
    r->rest = r->n ? (void *)r->on_rest->pointer : fuzz_nowhere(f);
    r->count = r->on_count->pointer;
    if (!r->appends)
        return;
    memcpy(r->on_count->contents, &r->there, sizeof r->there);
    if (r->capacity == 0)
        r->y = fuzz_nowhere(f);
}

static void spoil(fuzz *f, select_call *r, fuzz_expected *e)
{
    const size_t size = subwave_dtype_size(reference_part((subwave_dtype)r->dtype));
    const bool looks = r->n > 0 || !r->appends; /* at the pointers */
    switch (fuzz_between(f, 0, 10)) {
    case 0:
        r->handle = fuzz_no_context(e);
        return;
    case 1:
        r->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        r->n = fuzz_one_in(f, 2) ? -1 : -r->n - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 3:
        r->n = INT64_MAX - fuzz_between(f, 0, 100);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 4:
        r->count = fuzz_misaligned(f, r->count, sizeof(int64_t));
        if (looks)
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "count");
        return;
    case 5:
        if (r->compares) {
            r->comparison = fuzz_outside(f, 1, GREATEST(SUBWAVE_COMPARISON_LIST));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "comparison");
        }
        return;
    case 6:
        if (r->compares) {
            r->scalar = NULL;
            if (looks)
                fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "scalar");
        } else if (r->kind != UNIQUE && r->n > 0) {
            r->flags = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "flags");
        }
        return;
    case 7:
        if (r->n > 0) {
            r->x = fuzz_misaligned(f, r->x, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        return;
    case 8:
        if (r->has_rest && r->n > 0) {
            r->rest = fuzz_misaligned(f, r->rest, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "rest");
        }
        return;
    case 9:
        if (r->appends) {
            r->capacity = fuzz_one_in(f, 2) ? -1 - r->capacity : INT64_MAX - r->capacity;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "capacity");
        }
        return;
    default:
        if (r->n > 0 && (!r->appends || r->capacity > 0)) {
            r->y = fuzz_misaligned(f, r->y, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER,
                       r->appends    ? "queue"
                       : r->has_rest ? "selected"
                                     : "y");
        }
    }
}

static subwave_status make(const select_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const subwave_comparison comparison = (subwave_comparison)r->comparison;
    switch (r->kind) {
    case COMPACT:
        return subwave_compact(r->handle, dtype, r->n, r->flags, r->x, r->y, r->count);
    case COMPACT_IF:
        return subwave_compact_if(r->handle, dtype, comparison, r->scalar, r->n, r->x, r->y,
                                  r->count);
    case PARTITION:
        return subwave_partition(r->handle, dtype, r->n, r->flags, r->x, r->y, r->rest, r->count);
    case PARTITION_IF:
        return subwave_partition_if(r->handle, dtype, comparison, r->scalar, r->n, r->x, r->y,
                                    r->rest, r->count);
    case APPEND:
        return subwave_append(r->handle, dtype, r->n, r->flags, r->x, r->capacity, r->y, r->count);
    case APPEND_IF:
        return subwave_append_if(r->handle, dtype, comparison, r->scalar, r->n, r->x, r->capacity,
                                 r->y, r->count);
    default:
        return subwave_unique(r->handle, dtype, r->n, r->x, r->y, r->count);
    }
}

static size_t element_bytes; /* of those that are sorted */
static int by_bytes(const void *a, const void *b) { return memcmp(a, b, element_bytes); }

/* The elements come in any order: what the queue has of them is taken as right if each is one of those
 * that are selected, and none is there more often. */
static void expect_queue(fuzz *f, select_call *r)
{
    const size_t size = subwave_dtype_size((subwave_dtype)r->dtype);
    const int64_t all = r->there + r->selected_count,
                  first = r->there < r->capacity ? r->there : r->capacity,
                  appended = (all < r->capacity ? all : r->capacity) - first;
    memcpy(r->on_count->contents, &all, sizeof all);
    const unsigned char *const found = fuzz_now(f, r->on_y) + (size_t)first * size;
    memcpy(r->others, found, (size_t)appended * size);
    element_bytes = size;
    qsort(r->others, (size_t)appended, size, by_bytes);
    qsort(r->selected, (size_t)r->selected_count, size, by_bytes);
    int64_t j = 0;
    for (int64_t i = 0; i < appended; ++i, ++j) {
        const unsigned char *const element = r->others + (size_t)i * size;
        while (j < r->selected_count && by_bytes(r->selected + (size_t)j * size, element) < 0)
            ++j;
        if (j == r->selected_count || by_bytes(r->selected + (size_t)j * size, element) != 0)
            fuzz_fail(f, "an element of the queue is none of those that are selected");
    }
    memcpy(r->on_y->contents + (size_t)first * size, found, (size_t)appended * size);
}

void fuzz_select(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    select_call r = {.kind = (int)fuzz_between(f, 0, KINDS - 1), .handle = context->handle};
    r.appends = r.kind == APPEND || r.kind == APPEND_IF;
    r.compares = r.kind == COMPACT_IF || r.kind == PARTITION_IF || r.kind == APPEND_IF;
    r.has_rest = r.kind == PARTITION || r.kind == PARTITION_IF;
    choose(f, &r);
    if (fuzz_one_in(f, 4))
        spoil(f, &r, &expected);
    fuzz_words(f,
               "subwave_%s(%s, dtype %d, comparison %d, n %" PRId64 ", flags %p, scalar %p, x %p, "
               "capacity %" PRId64 ", y %p, rest %p, count %p)",
               names[r.kind], r.handle ? "context" : "no context", (int)r.dtype, (int)r.comparison,
               r.n, r.flags, r.scalar, r.x, r.appends ? r.capacity : 0, r.y, r.rest, r.count);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, make(&r))) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        const size_t size = subwave_dtype_size((subwave_dtype)r.dtype);
        if (r.appends) {
            if (r.n > 0)
                expect_queue(f, &r);
        } else {
            memcpy(r.on_y->contents, r.selected, (size_t)r.selected_count * size);
            if (r.has_rest)
                memcpy(r.on_rest->contents, r.others, (size_t)(r.n - r.selected_count) * size);
            memcpy(r.on_count->contents, &r.selected_count, sizeof r.selected_count);
        }
    }
    fuzz_check_memory(f);
    free(r.chosen);
    free(r.selected);
    free(r.others);
}
