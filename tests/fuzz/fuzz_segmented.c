/* SPDX-License-Identifier: MIT
 * fuzz_segmented.c: the calls on segments of an array, whose offsets may be any numbers.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments, wrong ones too. */
typedef struct segmented_call {
    subwave_context *handle;
    bool scans;
    int32_t dtype, op, scan, offset_dtype;
    int64_t segments, n;
    const void *offsets, *x;
    void *y;

    /* What is in memory. */
    fuzz_memory *on_x, *on_y;
    int64_t *bounds; /* the offsets, as numbers between 0 and n */
    bool ascend;
} segmented_call;

/* Whether there is anything to do. */
static bool computes(const segmented_call *c)
{
    return c->segments > 0 && !(c->scans && c->n == 0);
}

/* --- right arguments ------------------------------------------------------------------------- */

/* Most of them short or without elements, some long; or anything at all. */
static int64_t next_offset(fuzz *f, const segmented_call *c, int64_t last, int64_t most)
{
    if (!c->ascend)
        return fuzz_one_in(f, 3) ? (int64_t)fuzz_bits(f) : fuzz_between(f, -5, c->n + 5);
    return last + (fuzz_one_in(f, 3) ? 0 : fuzz_between(f, 0, fuzz_one_in(f, 50) ? c->n : most));
}

static void choose(fuzz *f, segmented_call *c)
{
    static const int64_t most[] = {3, 100, 3000, 30000}, lengths[] = {1, 8, 100, 5000};
    c->op = (int32_t)FUZZ_PICK(f, all_ops);
    c->scan = fuzz_one_in(f, 2) ? SUBWAVE_SCAN_INCLUSIVE : SUBWAVE_SCAN_EXCLUSIVE;
    do
        c->dtype = (int32_t)FUZZ_PICK(f, number_dtypes);
    while (!reference_has_op((subwave_dtype)c->dtype, (subwave_op)c->op));
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    const size_t size = subwave_dtype_size(dtype);
    const bool wide = fuzz_one_in(f, 2), is_float = reference_is_floating(dtype);
    c->offset_dtype = wide ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32;
    c->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    c->segments = fuzz_between(f, 0, FUZZ_PICK(f, most));
    c->ascend = !fuzz_one_in(f, 5);
    c->on_x = fuzz_take(f, FUZZ_DEVICE, "x", (size_t)c->n * size, size);
    for (int64_t i = 0; i < c->n; ++i)
        reference_store(
            dtype, c->on_x->contents, i,
            is_float ? reference_encode(dtype, fuzz_sign(f) + (c->op == SUBWAVE_OP_MULTIPLIES))
                     : fuzz_bits(f) | (fuzz_one_in(f, 16) ? 0 : 1));
    c->x = c->n ? (const void *)c->on_x->pointer : fuzz_nowhere(f);
    const int64_t results = c->scans ? c->n : c->segments;
    c->on_y = c->scans && fuzz_one_in(f, 3)
                  ? c->on_x
                  : fuzz_take(f, FUZZ_DEVICE, "y", (size_t)results * size, size);
    c->y = results ? (void *)c->on_y->pointer : fuzz_nowhere(f);

    const size_t offset_size = wide ? 8 : 4;
    fuzz_memory *const offsets =
        fuzz_take(f, FUZZ_DEVICE, "offsets", (size_t)(c->segments + 1) * offset_size, offset_size);
    c->offsets = offsets->pointer;
    c->bounds = malloc((size_t)(c->segments + 1) * sizeof *c->bounds);
    const int64_t length = FUZZ_PICK(f, lengths);
    int64_t offset = fuzz_one_in(f, 2) ? 0 : fuzz_between(f, -3, c->n);
    for (int64_t s = 0; s <= c->segments; ++s, offset = next_offset(f, c, offset, length)) {
        reference_store((subwave_dtype)c->offset_dtype, offsets->contents, s, (uint64_t)offset);
        const int64_t stored = wide ? offset : (int32_t)offset;
        c->bounds[s] = stored < 0 ? 0 : stored > c->n ? c->n : stored;
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, segmented_call *c, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, c->scans ? 9 : 8)) {
    case 0:
        c->handle = fuzz_no_context(e);
        return;
    case 1:
        c->op = fuzz_wrong_op(f, e);
        return;
    case 2:
        c->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 3:
        c->offset_dtype = fuzz_one_in(f, 2) ? SUBWAVE_DTYPE_U64
                                            : fuzz_outside(f, 1, GREATEST(SUBWAVE_DTYPE_LIST));
        fuzz_wrong(e,
                   c->offset_dtype == SUBWAVE_DTYPE_U64 ? SUBWAVE_STATUS_UNSUPPORTED
                                                        : SUBWAVE_STATUS_INVALID_VALUE,
                   "offset_dtype");
        return;
    case 4:
        c->segments = -c->segments - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "segments");
        return;
    case 5:
        c->n = fuzz_one_in(f, 2) ? -c->n - 1 : INT64_MAX - c->n;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 6:
        if (computes(c)) {
            c->offsets = fuzz_one_in(f, 2) ? NULL : (const char *)c->offsets + 1;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "offsets");
        }
        return;
    case 7:
        if (c->segments > 0 && c->n > 0) {
            c->x = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        return;
    case 8:
        if (computes(c)) {
            c->y = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
        return;
    default:
        c->scan = fuzz_outside(f, 1, GREATEST(SUBWAVE_SCAN_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "scan");
    }
}

/* --- the call -------------------------------------------------------------------------------- */

/* y may hold anything if offsets do not ascend. */
static void check_results(fuzz *f, const segmented_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    const subwave_op op = (subwave_op)c->op;
    const int64_t results = c->scans ? c->n : c->segments;
    const size_t bytes = (size_t)results * subwave_dtype_size(dtype);
    const unsigned char *const found = fuzz_now(f, c->on_y);
    if (c->ascend) {
        unsigned char *const wanted = malloc(bytes + 1);
        memcpy(wanted, c->on_y->contents, bytes);
        if (c->scans)
            reference_array_segmented_scan(dtype, op, (subwave_scan_kind)c->scan, c->segments,
                                           c->bounds, c->on_x->contents, wanted);
        else
            reference_array_segmented_reduce(dtype, op, c->segments, c->bounds, c->on_x->contents,
                                             wanted);
        for (int64_t i = 0; i < results; ++i)
            if (!reference_same(dtype, reference_load(dtype, found, i),
                                reference_load(dtype, wanted, i)))
                fuzz_fail(f, "y[%" PRId64 "] is %.17g, not %.17g", i,
                          reference_decode(dtype, reference_load(dtype, found, i)),
                          reference_decode(dtype, reference_load(dtype, wanted, i)));
        free(wanted);
    }
    memcpy(c->on_y->contents, found, bytes);
}

static subwave_status call(const segmented_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype,
                        offset_dtype = (subwave_dtype)c->offset_dtype;
    const subwave_op op = (subwave_op)c->op;
    return c->scans
               ? subwave_segmented_scan(c->handle, dtype, op, (subwave_scan_kind)c->scan,
                                        offset_dtype, c->segments, c->offsets, c->n, c->x, c->y)
               : subwave_segmented_reduce(c->handle, dtype, op, offset_dtype, c->segments,
                                          c->offsets, c->n, c->x, c->y);
}

static void segmented(fuzz *f, fuzz_context *context, bool scans)
{
    fuzz_expected expected = {0};
    segmented_call c = {.handle = context->handle, .scans = scans};
    choose(f, &c);
    if (fuzz_one_in(f, 4))
        spoil(f, &c, &expected);
    fuzz_words(
        f,
        "subwave_segmented_%s(%s, dtype %d, op %d, scan %d, offset_dtype %d, segments %" PRId64
        ", offsets %p, n %" PRId64 ", x %p, y %p)",
        scans ? "scan" : "reduce", c.handle ? "context" : "no context", (int)c.dtype, (int)c.op,
        (int)c.scan, (int)c.offset_dtype, c.segments, c.offsets, c.n, c.x, c.y);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, call(&c)) && computes(&c)) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        check_results(f, &c);
    }
    free(c.bounds);
    fuzz_check_memory(f);
}

void fuzz_segmented_reduce(fuzz *f, fuzz_context *context) { segmented(f, context, false); }

void fuzz_segmented_scan(fuzz *f, fuzz_context *context) { segmented(f, context, true); }
