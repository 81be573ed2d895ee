/* SPDX-License-Identifier: MIT
 * fuzz_fold.c: the calls that fold one or two arrays into one or two numbers: dot, norm2 and
 * minmax_index.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum fold_function { DOT, NORM2, MINMAX_INDEX } fold_function;
static const char *const names[] = {"dot", "norm2", "minmax_index"};

/* The arguments, wrong ones too; `what` is dot's conjugation or minmax_index's op. */
typedef struct fold_call {
    fold_function function;
    subwave_context *handle;
    int32_t dtype, what, order, place;
    int64_t n;
    const void *x, *y;
    void *result;
    int64_t *index;

    /* What is in memory. */
    fuzz_memory *on_x, *on_y, *on_result, *on_index;
} fold_call;

static subwave_dtype result_type(const fold_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    return r->function == NORM2 ? reference_part(dtype) : dtype;
}

/* --- right arguments ------------------------------------------------------------------------- */

/* Numbers of any size, of which some repeat. */
static uint64_t random_part(fuzz *f, subwave_dtype part)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 1e300, -3e38, 1e-310};
    if (!reference_is_floating(part))
        return fuzz_bits(f) & (fuzz_one_in(f, 2) ? 7 : UINT64_MAX);
    return reference_encode(part, fuzz_one_in(f, 500)
                                      ? FUZZ_PICK(f, special)
                                      : ldexp(fuzz_sign(f), (int)fuzz_between(f, -3, 3)));
}

static fuzz_memory *take_array(fuzz *f, const fold_call *r, const char *name)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype, part = reference_part(dtype);
    const size_t size = subwave_dtype_size(dtype), part_size = subwave_dtype_size(part);
    fuzz_memory *const memory = fuzz_take(f, FUZZ_DEVICE, name, (size_t)r->n * size, part_size);
    for (int64_t i = 0; i < r->n * (int64_t)(size / part_size); ++i)
        reference_store(part, memory->contents, i, random_part(f, part));
    return memory;
}

static void choose(fuzz *f, fold_call *r)
{
    static const int64_t most[] = {3, 100, 3000, 30000};
    const bool finds = r->function == MINMAX_INDEX;
    r->dtype = (int32_t)(finds ? FUZZ_PICK(f, number_dtypes) : FUZZ_PICK(f, dot_dtypes));
    r->what = finds ? (int32_t)(fuzz_one_in(f, 2) ? SUBWAVE_OP_MINIMUM : SUBWAVE_OP_MAXIMUM)
                    : (int32_t)FUZZ_PICK(f, all_conjugations);
    r->order = (int32_t)FUZZ_PICK(f, all_orders);
    r->place = (int32_t)FUZZ_PICK(f, all_places);
    r->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    r->on_x = take_array(f, r, "x");
    r->on_y = r->function == DOT && !fuzz_one_in(f, 4) ? take_array(f, r, "y") : r->on_x;
    r->x = r->n ? (const void *)r->on_x->pointer : fuzz_nowhere(f);
    r->y = r->n ? (const void *)r->on_y->pointer : fuzz_nowhere(f);
    const subwave_dtype of_result = result_type(r);
    const int where = r->place == SUBWAVE_PLACE_HOST ? FUZZ_HOST : FUZZ_DEVICE;
    r->on_result = fuzz_take(f, where, "result", subwave_dtype_size(of_result),
                             subwave_dtype_size(reference_part(of_result)));
    r->result = r->on_result->pointer;
    if (finds) {
        r->on_index = fuzz_take(f, where, "index", sizeof *r->index, sizeof *r->index);
        r->index = (int64_t *)(void *)r->on_index->pointer;
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, fold_call *r, fuzz_expected *e)
{
    const bool finds = r->function == MINMAX_INDEX;
    switch (fuzz_between(f, 0, 8)) {
    case 0:
        r->handle = fuzz_no_context(e);
        return;
    case 1:
        r->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        if (r->function == NORM2)
            return;
        r->what = fuzz_outside(
            f, 1, finds ? GREATEST(SUBWAVE_OP_LIST) : GREATEST(SUBWAVE_CONJUGATION_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, finds ? "op" : "conjugation");
        return;
    case 3:
        if (finds) {
            r->what = SUBWAVE_OP_PLUS;
            fuzz_wrong(e, SUBWAVE_STATUS_UNSUPPORTED, "op");
        } else {
            r->order = fuzz_outside(f, 1, GREATEST(SUBWAVE_ORDER_LIST));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "order");
        }
        return;
    case 4:
        r->place = fuzz_outside(f, 1, GREATEST(SUBWAVE_PLACE_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "place");
        return;
    case 5:
        r->n = fuzz_one_in(f, 2) ? -1 : -r->n - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 6:
        if (r->n == 0)
            return;
        r->x = NULL;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        return;
    case 7:
        if (finds) {
            r->index = (int64_t *)(void *)((char *)r->index + fuzz_between(f, 1, 7));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "index");
        } else if (r->function == DOT && r->n > 0) {
            r->y = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
        return;
    default:
        r->result = NULL;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, finds ? "value" : "result");
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static subwave_status make(const fold_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const subwave_order order = (subwave_order)r->order;
    const subwave_place place = (subwave_place)r->place;
    switch (r->function) {
    case DOT:
        return subwave_dot(r->handle, dtype, (subwave_conjugation)r->what, order, r->n, r->x, r->y,
                           place, r->result);
    case NORM2:
        return subwave_norm2(r->handle, dtype, order, r->n, r->x, place, r->result);
    default:
        return subwave_minmax_index(r->handle, dtype, (subwave_op)r->what, r->n, r->x, place,
                                    r->result, r->index);
    }
}

static void expect_results(const fold_call *r, unsigned char *result, int64_t *index)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const unsigned char *const x = r->on_x->contents;
    uint64_t value;
    if (r->function == DOT) {
        reference_array_dot(dtype, (subwave_conjugation)r->what, x, r->on_y->contents, r->n,
                            result);
        return;
    }
    if (r->function == NORM2)
        value = reference_array_norm2(dtype, x, r->n);
    else
        *index = reference_array_minmax_index(dtype, (subwave_op)r->what, x, r->n, &value);
    reference_store(result_type(r), result, 0, value);
}

static void check(fuzz *f, fuzz_context *context, const fold_call *r)
{
    const subwave_dtype of_result = result_type(r), part = reference_part(of_result);
    const size_t size = subwave_dtype_size(of_result);
    const fuzz_expected right = {0};
    unsigned char wanted[16], found[16];
    int64_t index = 0;
    fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
    memcpy(found, fuzz_now(f, r->on_result), size);
    if (r->order == SUBWAVE_ORDER_FIXED || r->function == MINMAX_INDEX) {
        expect_results(r, wanted, &index);
        for (size_t p = 0; p < size / subwave_dtype_size(part); ++p)
            if (!reference_same(part, reference_load(part, found, (int64_t)p),
                                reference_load(part, wanted, (int64_t)p)))
                fuzz_fail(f, "part %zu is %.17g, not %.17g", p,
                          reference_decode(part, reference_load(part, found, (int64_t)p)),
                          reference_decode(part, reference_load(part, wanted, (int64_t)p)));
    } else { /* the same bits again, whatever they are */
        fuzz_returns(f, context, &right, make(r));
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
    }
    memcpy(r->on_result->contents, found, size); /* NaNs may differ */
    if (r->function == MINMAX_INDEX)
        memcpy(r->on_index->contents, &index, sizeof index);
}

static void call(fuzz *f, fuzz_context *context, fold_function function)
{
    fuzz_expected expected = {0};
    fold_call r = {.function = function, .handle = context->handle};
    choose(f, &r);
    if (fuzz_one_in(f, 4))
        spoil(f, &r, &expected);
    fuzz_words(f,
               "subwave_%s(%s, dtype %d, op or conjugation %d, order %d, n %" PRId64
               ", x %p, y %p, place %d, result %p, index %p)",
               names[function], r.handle ? "context" : "no context", (int)r.dtype, (int)r.what,
               (int)r.order, r.n, r.x, r.y, (int)r.place, r.result, (void *)r.index);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, make(&r)))
        check(f, context, &r);
    fuzz_check_memory(f);
}

void fuzz_dot(fuzz *f, fuzz_context *context) { call(f, context, DOT); }
void fuzz_norm2(fuzz *f, fuzz_context *context) { call(f, context, NORM2); }
void fuzz_minmax_index(fuzz *f, fuzz_context *context) { call(f, context, MINMAX_INDEX); }
