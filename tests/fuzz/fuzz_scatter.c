/* SPDX-License-Identifier: MIT
 * fuzz_scatter.c: subwave_scatter_add, whose indices may be any numbers.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The arguments, wrong ones too. */
typedef struct scatter_call {
    subwave_context *handle;
    int32_t dtype, order, index_dtype;
    int64_t n, cells;
    const void *indices, *values;
    void *y;

    /* What is in memory. */
    fuzz_memory *on_values, *on_y;
    int64_t *cell_of; /* the indices */
} scatter_call;

/* --- right arguments ------------------------------------------------------------------------- */

/* In any order sums of floats must be exact, to be known: integers. */
static uint64_t number(fuzz *f, const scatter_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0};
    if (!reference_is_floating(dtype))
        return fuzz_bits(f);
    if (fuzz_one_in(f, 300))
        return reference_encode(dtype, FUZZ_PICK(f, special));
    if (c->order == SUBWAVE_ORDER_ANY)
        return reference_encode(dtype, (double)fuzz_between(f, -9, 9));
    const int most = dtype == SUBWAVE_DTYPE_F32 ? 120 : 900;
    return reference_encode(
        dtype, ldexp(fuzz_sign(f), (int)fuzz_between(f, fuzz_one_in(f, 9) ? -most : -20, 20)));
}

static void choose(fuzz *f, scatter_call *c)
{
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I32, SUBWAVE_DTYPE_U32, SUBWAVE_DTYPE_I64,
                                           SUBWAVE_DTYPE_U64, SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64};
    static const int64_t most[] = {3, 100, 3000, 20000}, most_cells[] = {3, 100, 9000};
    c->dtype = (int32_t)FUZZ_PICK(f, dtypes);
    c->order = (int32_t)FUZZ_PICK(f, all_orders);
    const bool wide = fuzz_one_in(f, 2), hot = fuzz_one_in(f, 3);
    c->index_dtype = wide ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32;
    c->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    c->cells = fuzz_between(f, 0, FUZZ_PICK(f, most_cells));
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    const size_t size = subwave_dtype_size(dtype), index_size = wide ? 8 : 4;
    c->on_values = fuzz_take(f, FUZZ_DEVICE, "values", (size_t)c->n * size, size);
    for (int64_t i = 0; i < c->n; ++i)
        reference_store(dtype, c->on_values->contents, i, number(f, c));
    c->on_y = fuzz_take(f, FUZZ_DEVICE, "y", (size_t)c->cells * size, size);
    for (int64_t i = 0; i < c->cells; ++i)
        reference_store(dtype, c->on_y->contents, i, number(f, c));
    fuzz_memory *const indices =
        fuzz_take(f, FUZZ_DEVICE, "indices", (size_t)c->n * index_size, index_size);
    c->cell_of = malloc((size_t)c->n * sizeof *c->cell_of + 1);
    for (int64_t i = 0; i < c->n; ++i) {
        int64_t index = hot && !fuzz_one_in(f, 16) ? c->cells / 2 : fuzz_between(f, -1, c->cells);
        if (fuzz_one_in(f, 50))
            index = (int64_t)fuzz_bits(f);
        reference_store((subwave_dtype)c->index_dtype, indices->contents, i, (uint64_t)index);
        c->cell_of[i] = wide ? index : (int32_t)index;
    }
    c->values = c->n ? (const void *)c->on_values->pointer : fuzz_nowhere(f);
    c->indices = c->n ? (const void *)indices->pointer : fuzz_nowhere(f);
    c->y = c->cells ? (void *)c->on_y->pointer : fuzz_nowhere(f);
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, scatter_call *c, fuzz_expected *e)
{
    const size_t size = subwave_dtype_size((subwave_dtype)c->dtype);
    const bool looks = c->n > 0 && c->cells > 0; /* at the pointers */
    switch (fuzz_between(f, 0, 8)) {
    case 0:
        c->handle = fuzz_no_context(e);
        return;
    case 1:
        c->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        c->order = fuzz_outside(f, 1, GREATEST(SUBWAVE_ORDER_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "order");
        return;
    case 3:
        c->index_dtype = fuzz_one_in(f, 2) ? SUBWAVE_DTYPE_U64
                                           : fuzz_outside(f, 1, GREATEST(SUBWAVE_DTYPE_LIST));
        fuzz_wrong(e,
                   c->index_dtype == SUBWAVE_DTYPE_U64 ? SUBWAVE_STATUS_UNSUPPORTED
                                                       : SUBWAVE_STATUS_INVALID_VALUE,
                   "index_dtype");
        return;
    case 4:
        c->n = fuzz_one_in(f, 2) ? -c->n - 1 : INT64_MAX - c->n;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 5:
        c->cells = fuzz_one_in(f, 2) ? -c->cells - 1 : INT64_MAX - c->cells;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "cells");
        return;
    case 6:
        if (looks) {
            c->indices = fuzz_one_in(f, 2) ? NULL : (const char *)c->indices + 1;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "indices");
        }
        return;
    case 7:
        if (looks) {
            c->values = fuzz_misaligned(f, c->values, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "values");
        }
        return;
    default:
        if (looks) {
            c->y = fuzz_misaligned(f, c->y, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

/* Of NaN the bits are known only in fixed point. */
static void expect_results(fuzz *f, const scatter_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    reference_array_scatter_add(dtype, c->n, c->cell_of, c->on_values->contents, c->cells,
                                c->on_y->contents);
    if (c->order != SUBWAVE_ORDER_ANY || !reference_is_floating(dtype))
        return;
    const unsigned char *const found = fuzz_now(f, c->on_y);
    for (int64_t i = 0; i < c->cells; ++i) {
        const uint64_t bits = reference_load(dtype, found, i);
        if (reference_same(dtype, bits, reference_load(dtype, c->on_y->contents, i)) ||
            (reference_decode(dtype, bits) == 0 &&
             reference_decode(dtype, reference_load(dtype, c->on_y->contents, i)) == 0))
            reference_store(dtype, c->on_y->contents, i, bits);
    }
}

void fuzz_scatter_add(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    scatter_call c = {.handle = context->handle};
    choose(f, &c);
    const int64_t n = c.n, cells = c.cells;
    if (fuzz_one_in(f, 4))
        spoil(f, &c, &expected);
    else if (c.order != SUBWAVE_ORDER_ANY && reference_is_floating((subwave_dtype)c.dtype) &&
             n > 0 && cells > 0)
        fuzz_expect_workspace(f, c.handle, 4352 + 20 * cells, &expected);
    fuzz_words(f,
               "subwave_scatter_add(%s, dtype %d, order %d, n %" PRId64
               ", index_dtype %d, indices %p, values %p, cells %" PRId64 ", y %p)",
               c.handle ? "context" : "no context", (int)c.dtype, (int)c.order, c.n,
               (int)c.index_dtype, c.indices, c.values, c.cells, c.y);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected,
                     subwave_scatter_add(c.handle, (subwave_dtype)c.dtype, (subwave_order)c.order,
                                         c.n, (subwave_dtype)c.index_dtype, c.indices, c.values,
                                         c.cells, c.y)) &&
        n > 0 && cells > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        expect_results(f, &c);
    }
    free(c.cell_of);
    fuzz_check_memory(f);
}
