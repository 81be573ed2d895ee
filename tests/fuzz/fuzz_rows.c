/* SPDX-License-Identifier: MIT
 * fuzz_rows.c: the calls on the rows of a matrix.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>

/* The arguments, wrong ones too. */
typedef struct rows_call {
    subwave_context *handle;
    int32_t dtype, op;
    int64_t rows, length, ldx;
    const void *x;
    void *y;

    /* What is in memory. */
    fuzz_memory *on_x, *on_y;
} rows_call;

/* --- right arguments ------------------------------------------------------------------------- */

static void choose(fuzz *f, rows_call *r)
{
    static const int64_t most[] = {3, 20, 300, 3000, 30000};
    r->op = (int32_t)FUZZ_PICK(f, all_ops);
    do
        r->dtype = (int32_t)FUZZ_PICK(f, number_dtypes);
    while (!reference_has_op((subwave_dtype)r->dtype, (subwave_op)r->op));
    r->length = fuzz_between(f, 0, FUZZ_PICK(f, most));
    r->rows = fuzz_between(f, 0, 30000 / (r->length + 1) + 1);
    r->ldx = r->length + fuzz_between(f, r->length == 0, 5);
    const size_t size = subwave_dtype_size((subwave_dtype)r->dtype);
    const int64_t n = r->rows > 0 ? (r->rows - 1) * r->ldx + r->length : 0;
    r->on_x = fuzz_take(f, FUZZ_DEVICE, "x", (size_t)n * size, size);
    for (int64_t i = 0; i < n; ++i)
        reference_store((subwave_dtype)r->dtype, r->on_x->contents, i,
                        fuzz_element(f, (subwave_dtype)r->dtype, (subwave_op)r->op));
    r->x = r->rows && r->length ? (const void *)r->on_x->pointer : fuzz_nowhere(f);
    r->on_y = fuzz_take(f, FUZZ_DEVICE, "y", (size_t)r->rows * size, size);
    r->y = r->rows ? (void *)r->on_y->pointer : fuzz_nowhere(f);
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, rows_call *r, fuzz_expected *e)
{
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
        r->rows = -r->rows - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "rows");
        return;
    case 4:
        r->length = -r->length - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "length");
        return;
    case 5:
        r->ldx = fuzz_between(f, r->length > 3 ? 1 : -3, r->length - (r->length > 0));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "ldx");
        return;
    case 6:
        if (r->rows > 0 && r->length > 0) {
            r->x = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        return;
    default:
        if (r->rows > 0) {
            r->y = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

void fuzz_row_reduce(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    rows_call r = {.handle = context->handle};
    choose(f, &r);
    if (fuzz_one_in(f, 4))
        spoil(f, &r, &expected);
    fuzz_words(f,
               "subwave_row_reduce(%s, dtype %d, op %d, rows %" PRId64 ", length %" PRId64
               ", x %p, ldx %" PRId64 ", y %p)",
               r.handle ? "context" : "no context", (int)r.dtype, (int)r.op, r.rows, r.length, r.x,
               r.ldx, r.y);
    fuzz_upload(f);
    const subwave_dtype dtype = (subwave_dtype)r.dtype;
    if (fuzz_returns(f, context, &expected,
                     subwave_row_reduce(r.handle, dtype, (subwave_op)r.op, r.rows, r.length, r.x,
                                        r.ldx, r.y)) &&
        r.rows > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        const unsigned char *const found = fuzz_now(f, r.on_y);
        for (int64_t i = 0; i < r.rows; ++i) {
            const uint64_t is = reference_load(dtype, found, i),
                           wanted = reference_array_reduce(
                               dtype, (subwave_op)r.op,
                               r.on_x->contents + (size_t)(i * r.ldx) * subwave_dtype_size(dtype),
                               r.length, NULL);
            if (!reference_same(dtype, is, wanted))
                fuzz_fail(f, "row %" PRId64 " is %.17g, not %.17g", i, reference_decode(dtype, is),
                          reference_decode(dtype, wanted));
            reference_store(dtype, r.on_y->contents, i, is); /* NaNs may differ */
        }
    }
    fuzz_check_memory(f);
}
