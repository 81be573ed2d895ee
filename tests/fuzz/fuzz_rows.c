/* SPDX-License-Identifier: MIT
 * fuzz_rows.c: the calls on the rows of a matrix.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments, wrong ones too. A scan's y may be x; `indices` if the call finds them. */
typedef struct rows_call {
    bool scans, finds;
    subwave_context *handle;
    int32_t dtype, op, scan;
    int64_t rows, length, ldx, ldy;
    const void *x;
    void *y;
    int64_t *indices;

    /* What is in memory. */
    fuzz_memory *on_x, *on_y, *on_indices;
} rows_call;

/* --- right arguments ------------------------------------------------------------------------- */

/* Elements from the first row's first to the last one's last. */
static int64_t extent(const rows_call *r, int64_t ld)
{
    return r->rows > 0 && r->length > 0 ? (r->rows - 1) * ld + r->length : 0;
}

static void choose(fuzz *f, rows_call *r)
{
    static const int64_t most[] = {3, 20, 300, 3000, 30000};
    r->op = r->finds ? (int32_t)(fuzz_one_in(f, 2) ? SUBWAVE_OP_MINIMUM : SUBWAVE_OP_MAXIMUM)
                     : (int32_t)FUZZ_PICK(f, all_ops);
    do
        r->dtype = (int32_t)FUZZ_PICK(f, number_dtypes);
    while (!reference_has_op((subwave_dtype)r->dtype, (subwave_op)r->op));
    r->length = fuzz_between(f, 0, FUZZ_PICK(f, most));
    r->rows = fuzz_between(f, 0, 30000 / (r->length + 1) + 1);
    r->ldx = r->length + fuzz_between(f, r->length == 0, 5);
    const size_t size = subwave_dtype_size((subwave_dtype)r->dtype);
    const int64_t n = extent(r, r->ldx);
    r->on_x = fuzz_take(f, FUZZ_DEVICE, "x", (size_t)n * size, size);
    for (int64_t i = 0; i < n; ++i)
        reference_store((subwave_dtype)r->dtype, r->on_x->contents, i,
                        fuzz_element(f, (subwave_dtype)r->dtype, (subwave_op)r->op));
    r->x = r->rows && r->length ? (const void *)r->on_x->pointer : fuzz_nowhere(f);
    const bool in_place = r->scans && fuzz_one_in(f, 3);
    r->scan = (int32_t)FUZZ_PICK(f, all_scans);
    r->ldy = in_place ? r->ldx : r->length + fuzz_between(f, r->length == 0, 5);
    const int64_t results = r->scans ? extent(r, r->ldy) : r->rows;
    r->on_y = in_place ? r->on_x : fuzz_take(f, FUZZ_DEVICE, "y", (size_t)results * size, size);
    r->y = results ? (void *)r->on_y->pointer : fuzz_nowhere(f);
    if (r->finds) {
        r->on_indices = fuzz_take(f, FUZZ_DEVICE, "indices", (size_t)r->rows * sizeof *r->indices,
                                  sizeof *r->indices);
        r->indices = r->rows ? (void *)r->on_indices->pointer : fuzz_nowhere(f);
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, rows_call *r, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, r->scans || r->finds ? 9 : 7)) {
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
    case 7:
        if (r->rows > 0 && (r->length > 0 || !r->scans)) {
            r->y = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, r->finds ? "values" : "y");
        }
        return;
    case 8:
        if (r->finds) {
            if (r->rows > 0) {
                r->indices = NULL;
                fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "indices");
            }
            return;
        }
        r->scan = fuzz_outside(f, 1, GREATEST(SUBWAVE_SCAN_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "scan");
        return;
    default:
        if (r->finds) {
            r->op = SUBWAVE_OP_PLUS;
            fuzz_wrong(e, SUBWAVE_STATUS_UNSUPPORTED, "op");
            return;
        }
        if (r->on_x == r->on_y && r->rows > 1 && r->length > 0) {
            ++r->ldy;
        } else {
            r->ldy = fuzz_between(f, r->length > 3 ? 1 : -3, r->length - (r->length > 0));
        }
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "ldy");
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static void check_results(fuzz *f, const rows_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const size_t size = subwave_dtype_size(dtype);
    const unsigned char *const found = fuzz_now(f, r->on_y);
    unsigned char *const right = malloc((size_t)r->length * size + 8);
    if (!right)
        fuzz_fail(f, "no memory");
    for (int64_t i = 0; i < r->rows; ++i) {
        const unsigned char *const x = r->on_x->contents + (size_t)(i * r->ldx) * size;
        if (r->finds) {
            uint64_t value;
            const int64_t place =
                reference_array_minmax_index(dtype, (subwave_op)r->op, x, r->length, &value);
            const size_t at = (size_t)i * sizeof place;
            if (memcmp((const unsigned char *)fuzz_now(f, r->on_indices) + at, &place,
                       sizeof place) != 0)
                fuzz_fail(f, "the index of row %" PRId64 " is not %" PRId64, i, place);
            memcpy(r->on_indices->contents + at, &place, sizeof place);
            reference_store(dtype, right, 0, value);
        } else if (r->scans)
            reference_array_scan(dtype, (subwave_op)r->op, (subwave_scan_kind)r->scan, x, r->length,
                                 NULL, right);
        else
            reference_store(dtype, right, 0,
                            reference_array_reduce(dtype, (subwave_op)r->op, x, r->length, NULL));
        for (int64_t j = 0; j < (r->scans ? r->length : 1); ++j) {
            const int64_t at = r->scans ? i * r->ldy + j : i;
            const uint64_t is = reference_load(dtype, found, at),
                           wanted = reference_load(dtype, right, j);
            if (!reference_same(dtype, is, wanted))
                fuzz_fail(f, "result %" PRId64 " of row %" PRId64 " is %.17g, not %.17g", j, i,
                          reference_decode(dtype, is), reference_decode(dtype, wanted));
            reference_store(dtype, r->on_y->contents, at, is); /* NaNs may differ */
        }
    }
    free(right);
}

static subwave_status call(const rows_call *r)
{
    const subwave_dtype dtype = (subwave_dtype)r->dtype;
    const subwave_op op = (subwave_op)r->op;
    if (r->finds)
        return subwave_row_minmax_index(r->handle, dtype, op, r->rows, r->length, r->x, r->ldx,
                                        r->y, r->indices);
    return r->scans
               ? subwave_row_scan(r->handle, dtype, op, (subwave_scan_kind)r->scan, r->rows,
                                  r->length, r->x, r->ldx, r->y, r->ldy)
               : subwave_row_reduce(r->handle, dtype, op, r->rows, r->length, r->x, r->ldx, r->y);
}

static void fuzz_row_call(fuzz *f, fuzz_context *context, bool scans, bool finds)
{
    fuzz_expected expected = {0};
    rows_call r = {.scans = scans, .finds = finds, .handle = context->handle};
    choose(f, &r);
    if (fuzz_one_in(f, 4))
        spoil(f, &r, &expected);
    fuzz_words(f,
               "subwave_row_%s(%s, dtype %d, op %d, scan %d, rows %" PRId64 ", length %" PRId64
               ", x %p, ldx %" PRId64 ", y %p, ldy %" PRId64 ", indices %p)",
               scans   ? "scan"
               : finds ? "minmax_index"
                       : "reduce",
               r.handle ? "context" : "no context", (int)r.dtype, (int)r.op, (int)r.scan, r.rows,
               r.length, r.x, r.ldx, r.y, r.ldy, (void *)r.indices);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, call(&r)) && r.rows > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        check_results(f, &r);
    }
    fuzz_check_memory(f);
}

void fuzz_row_reduce(fuzz *f, fuzz_context *context) { fuzz_row_call(f, context, false, false); }
void fuzz_row_scan(fuzz *f, fuzz_context *context) { fuzz_row_call(f, context, true, false); }
void fuzz_row_minmax_index(fuzz *f, fuzz_context *context)
{
    fuzz_row_call(f, context, false, true);
}
