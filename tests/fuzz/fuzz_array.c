/* SPDX-License-Identifier: MIT
 * fuzz_array.c: the calls on whole arrays.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments, wrong ones too. A scan's result is y, in device memory or in place. */
typedef struct array_call {
    bool scans;
    subwave_context *handle;
    int32_t dtype, op, scan, order, place;
    int64_t n;
    const void *init, *x;
    void *result;

    /* What is in memory. */
    fuzz_memory *on_x, *on_result;
    uint64_t init_bits;
} array_call;

static bool is_known(const array_call *r)
{
    return r->scans || r->order == SUBWAVE_ORDER_FIXED ||
           !reference_is_floating((subwave_dtype)r->dtype);
}

/* --- right arguments ------------------------------------------------------------------------- */

static void choose(fuzz *f, array_call *r)
{
    static const int64_t most[] = {3, 100, 3000, 30000, 100000};
    r->op = (int32_t)FUZZ_PICK(f, all_ops);
    do
        r->dtype = (int32_t)FUZZ_PICK(f, number_dtypes);
    while (!reference_has_op((subwave_dtype)r->dtype, (subwave_op)r->op));
    r->order = (int32_t)FUZZ_PICK(f, all_orders);
    r->scan = (int32_t)FUZZ_PICK(f, all_scans);
    r->place = r->scans ? SUBWAVE_PLACE_DEVICE : (int32_t)FUZZ_PICK(f, all_places);
    r->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    const size_t size = subwave_dtype_size((subwave_dtype)r->dtype);
    r->on_x = fuzz_take(f, FUZZ_DEVICE, "x", (size_t)r->n * size, size);
    for (int64_t i = 0; i < r->n; ++i)
        reference_store((subwave_dtype)r->dtype, r->on_x->contents, i,
                        fuzz_element(f, (subwave_dtype)r->dtype, (subwave_op)r->op));
    r->x = r->n ? (const void *)r->on_x->pointer : fuzz_nowhere(f);
    const size_t results = r->scans ? (size_t)r->n : 1;
    r->on_result = r->scans && fuzz_one_in(f, 3)
                       ? r->on_x
                       : fuzz_take(f, r->place == SUBWAVE_PLACE_HOST ? FUZZ_HOST : FUZZ_DEVICE,
                                   r->scans ? "y" : "result", results * size, size);
    r->result = results ? (void *)r->on_result->pointer : fuzz_nowhere(f);
    if (fuzz_one_in(f, 2)) {
        r->init_bits = 0;
        reference_store((subwave_dtype)r->dtype, &r->init_bits, 0,
                        fuzz_element(f, (subwave_dtype)r->dtype, (subwave_op)r->op));
        r->init = fuzz_put(f, FUZZ_HOST, "init", &r->init_bits, size, size)->pointer;
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, array_call *r, fuzz_expected *e)
{
    const size_t size = subwave_dtype_size((subwave_dtype)r->dtype);
    switch (fuzz_between(f, 0, 7)) {
    case 0:
        r->handle = fuzz_no_context(e);
        return;
    case 1:
        r->op = fuzz_wrong_op(f, e);
        return;
    case 2:
        r->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 3:
        r->order = fuzz_outside(f, 1, GREATEST(SUBWAVE_ORDER_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "order");
        return;
    case 4:
        if (r->scans) {
            r->scan = fuzz_outside(f, 1, GREATEST(SUBWAVE_SCAN_LIST));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "scan");
        } else {
            r->place = fuzz_outside(f, 1, GREATEST(SUBWAVE_PLACE_LIST));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "place");
        }
        return;
    case 5:
        r->n = fuzz_one_in(f, 2) ? -1 : -r->n - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 6:
        if (r->n > 0) {
            r->x = fuzz_misaligned(f, r->x, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
            return;
        } /* fall through */
    default:
        if (r->scans && r->n == 0) /* of which no pointer is looked at */
            return;
        r->result = fuzz_misaligned(f, r->result, size);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, r->scans ? "y" : "result");
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static subwave_status make(const array_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    if (r->scans)
        return subwave_scan(r->handle, dtype, (subwave_op)r->op, (subwave_scan_kind)r->scan,
                            (subwave_order)r->order, r->n, r->init, r->x, r->result);
    return subwave_reduce(r->handle, dtype, (subwave_op)r->op, (subwave_order)r->order, r->n,
                          r->init, r->x, (subwave_place)r->place, r->result);
}

/* What the results must be, if that is known. */
static void expect_results(const array_call *r, unsigned char *y)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const subwave_op op = (subwave_op)r->op;
    const uint64_t *init = r->init ? &r->init_bits : NULL;
    if (r->scans)
        reference_array_scan(dtype, op, (subwave_scan_kind)r->scan, r->on_x->contents, r->n, init,
                             y);
    else
        reference_store(dtype, y, 0,
                        reference_array_reduce(dtype, op, r->on_x->contents, r->n, init));
}

static void call(fuzz *f, fuzz_context *context, bool scans)
{
    fuzz_expected expected = {0};
    array_call r = {.scans = scans, .handle = context->handle};
    choose(f, &r);
    if (fuzz_one_in(f, 4))
        spoil(f, &r, &expected);
    fuzz_words(f,
               "subwave_%s(%s, dtype %d, op %d, scan %d, order %d, n %" PRId64 ", init %s, x %p, "
               "place %d, result %p)",
               scans ? "scan" : "reduce", r.handle ? "context" : "no context", (int)r.dtype,
               (int)r.op, (int)r.scan, (int)r.order, r.n, r.init ? "given" : "null", r.x,
               (int)r.place, r.result);
    fuzz_upload(f);
    const int64_t results = scans ? r.n : 1;
    const subwave_dtype dtype = (subwave_dtype)r.dtype;
    if (fuzz_returns(f, context, &expected, make(&r)) && results > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        const size_t bytes = (size_t)results * subwave_dtype_size(dtype);
        unsigned char *const wanted = malloc(bytes);
        const unsigned char *found = fuzz_now(f, r.on_result);
        if (is_known(&r)) {
            expect_results(&r, wanted);
            for (int64_t i = 0; i < results; ++i)
                if (!reference_same(dtype, reference_load(dtype, found, i),
                                    reference_load(dtype, wanted, i)))
                    fuzz_fail(f, "result %" PRId64 " is %.17g, not %.17g", i,
                              reference_decode(dtype, reference_load(dtype, found, i)),
                              reference_decode(dtype, reference_load(dtype, wanted, i)));
            memcpy(wanted, found, bytes); /* NaNs may differ */
        } else {                          /* the same bits again, whatever they are */
            memcpy(wanted, found, bytes);
            fuzz_returns(f, context, &right, make(&r));
            fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        }
        memcpy(r.on_result->contents, wanted, bytes);
        free(wanted);
    }
    fuzz_check_memory(f);
}

void fuzz_reduce(fuzz *f, fuzz_context *context) { call(f, context, false); }
void fuzz_scan(fuzz *f, fuzz_context *context) { call(f, context, true); }
