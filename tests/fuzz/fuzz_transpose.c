/* SPDX-License-Identifier: MIT
 * fuzz_transpose.c: subwave_transpose and subwave_transpose_strided_batched.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <string.h>

/* The arguments, wrong ones too; those of the call for one matrix are of a batch of one. */
typedef struct transposition {
    subwave_context *handle;
    int32_t dtype, layout;
    int64_t m, n, ldx, ldy, stride_x, stride_y, batch;
    const void *x;
    void *y;
    bool single, in_place;

    /* What is in memory. */
    fuzz_memory *on_x, *on_y;
} transposition;

/* --- right arguments ------------------------------------------------------------------------- */

static int64_t extent(int64_t lines, int64_t length, int64_t ld, int64_t stride, int64_t batch)
{
    return lines && length && batch ? (batch - 1) * stride + (lines - 1) * ld + length : 0;
}

static fuzz_memory *take_matrices(fuzz *f, const transposition *t, const char *name,
                                  int64_t elements)
{
    const subwave_dtype dtype = (subwave_dtype)t->dtype;
    const size_t size = subwave_dtype_size(dtype);
    fuzz_memory *const memory = fuzz_take(f, FUZZ_DEVICE, name, (size_t)elements * size,
                                          subwave_dtype_size(reference_part(dtype)));
    for (size_t i = 0; i < memory->bytes; ++i)
        memory->contents[i] = (unsigned char)fuzz_bits(f);
    return memory;
}

static void choose(fuzz *f, transposition *t)
{
    static const int64_t most[] = {2, 9, 70, 140};
    t->dtype = (int32_t)FUZZ_PICK(f, all_dtypes);
    t->layout = fuzz_one_in(f, 2) ? SUBWAVE_LAYOUT_ROW_MAJOR : SUBWAVE_LAYOUT_COLUMN_MAJOR;
    t->single = fuzz_one_in(f, 2);
    t->batch = t->single ? 1 : fuzz_between(f, 0, 6);
    t->m = fuzz_between(f, 0, FUZZ_PICK(f, most));
    t->n = fuzz_one_in(f, 3) ? t->m : fuzz_between(f, 0, FUZZ_PICK(f, most));
    t->in_place = t->m == t->n && fuzz_one_in(f, 2);
    const bool rows = t->layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    const int64_t lines = rows ? t->m : t->n, length = rows ? t->n : t->m;
    t->ldx = length + fuzz_between(f, length == 0, 3);
    t->ldy = t->in_place ? t->ldx : lines + fuzz_between(f, lines == 0, 3);
    const int64_t of_x = extent(lines, length, t->ldx, 0, 1),
                  of_y = extent(length, lines, t->ldy, 0, 1);
    t->stride_x = fuzz_one_in(f, 3) ? 0 : of_x + fuzz_between(f, 0, 9);
    t->stride_y = of_y + fuzz_between(f, 0, 9);
    if (t->in_place)
        t->stride_x = t->stride_y;
    t->on_x = take_matrices(f, t, "x", extent(lines, length, t->ldx, t->stride_x, t->batch));
    t->on_y = t->in_place
                  ? t->on_x
                  : take_matrices(f, t, "y", extent(length, lines, t->ldy, t->stride_y, t->batch));
    t->x = t->on_x->bytes ? (const void *)t->on_x->pointer : fuzz_nowhere(f);
    t->y = t->on_y->bytes ? (void *)t->on_y->pointer : fuzz_nowhere(f);
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, transposition *t, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, 8)) {
    case 0:
        t->handle = fuzz_no_context(e);
        return;
    case 1:
        t->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        t->layout = fuzz_outside(f, 1, 2);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "layout");
        return;
    case 3:
        t->m = -t->m - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "m");
        return;
    case 4:
        t->ldx = fuzz_between(f, -3, 0);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "ldx");
        return;
    case 5:
        t->ldy = fuzz_between(f, -3, 0);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "ldy");
        return;
    case 6:
        if (t->batch < 2 || t->m == 0 || t->n == 0)
            return;
        t->stride_y = 0;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "stride_y");
        return;
    case 7:
        if (t->on_x->bytes) {
            t->x = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        return;
    default:
        if (t->on_y->bytes) {
            t->y = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static subwave_status make(const transposition *t)
{
    const subwave_dtype dtype = (subwave_dtype)t->dtype;
    const subwave_layout layout = (subwave_layout)t->layout;
    if (t->single)
        return subwave_transpose(t->handle, dtype, layout, t->m, t->n, t->x, t->ldx, t->y, t->ldy);
    return subwave_transpose_strided_batched(t->handle, dtype, layout, t->m, t->n, t->x, t->ldx,
                                             t->stride_x, t->y, t->ldy, t->stride_y, t->batch);
}

/* Into what y must hold. Lines of x are rows or columns, and become columns or rows of y. */
static void move(const transposition *t)
{
    static unsigned char before[FUZZ_CAPACITY];
    const size_t size = subwave_dtype_size((subwave_dtype)t->dtype);
    const bool rows = t->layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    const int64_t lines = rows ? t->m : t->n, length = rows ? t->n : t->m;
    memcpy(before, t->on_x->contents, t->on_x->bytes);
    for (int64_t e = 0; e < t->batch; ++e)
        for (int64_t l = 0; l < lines; ++l)
            for (int64_t i = 0; i < length; ++i)
                memcpy(t->on_y->contents + (size_t)(e * t->stride_y + i * t->ldy + l) * size,
                       before + (size_t)(e * t->stride_x + l * t->ldx + i) * size, size);
}

void fuzz_transpose(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    transposition t = {.handle = context->handle};
    choose(f, &t);
    if (fuzz_one_in(f, 4))
        spoil(f, &t, &expected);
    fuzz_words(
        f,
        "subwave_transpose%s(%s, dtype %d, layout %d, %" PRId64 " x %" PRId64 ", x %p, ldx %" PRId64
        ", stride_x %" PRId64 ", y %p, ldy %" PRId64 ", stride_y %" PRId64 ", batch %" PRId64 ")",
        t.single ? "" : "_strided_batched", t.handle ? "context" : "no context", (int)t.dtype,
        (int)t.layout, t.m, t.n, t.x, t.ldx, t.stride_x, t.y, t.ldy, t.stride_y, t.batch);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, make(&t))) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        move(&t);
    }
    fuzz_check_memory(f);
}
