/* SPDX-License-Identifier: MIT
 * fuzz_stack.c: subwave_matmul_stacked. All numbers are small integers, of which every sum is exact.
 */
#include "fuzz.h"

#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, MATRICES = 6 /* of each */ };

/* The arguments, wrong ones too. */
typedef struct stack_call {
    subwave_context *handle;
    int32_t dtype, layout, transpose[2], offset_dtype, base;
    int64_t m, n, k, ld[3], entries;
    const void *alpha, *beta, *pointer[3], *offsets;

    /* What is in memory. */
    number alpha_value, beta_value;
    fuzz_memory *on[3];
    int64_t *offset_of; /* 3 of an entry, from 0 */
} stack_call;

/* --- right arguments ------------------------------------------------------------------------- */

static number small_number(fuzz *f, subwave_dtype dtype)
{
    const double real = (double)fuzz_between(f, -3, 3);
    return reference_is_complex(dtype) ? CMPLX(real, (double)fuzz_between(f, -3, 3)) : real;
}

static const void *scalar(fuzz *f, const char *label, subwave_dtype dtype, number *value)
{
    static const number values[] = {0, 1, 1, 1, -2};
    *value = fuzz_one_in(f, 4) ? small_number(f, dtype) : FUZZ_PICK(f, values);
    fuzz_memory *const memory = fuzz_take(f, FUZZ_HOST, label, subwave_dtype_size(dtype),
                                          subwave_dtype_size(reference_part(dtype)));
    number_set(dtype, memory->contents, 0, *value);
    return memory->pointer;
}

/* Rows and columns of a matrix as it is stored. */
static void shape_of(const stack_call *c, int which, int64_t *rows, int64_t *columns)
{
    const int64_t sizes[][2] = {{c->m, c->k}, {c->k, c->n}, {c->m, c->n}};
    const bool flipped = which != C && c->transpose[which] != SUBWAVE_TRANSPOSE_NONE;
    *rows = sizes[which][flipped];
    *columns = sizes[which][!flipped];
}

static int64_t place(const stack_call *c, int which, int64_t offset, int64_t i, int64_t j)
{
    const bool by_columns = c->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    return offset + (by_columns ? i + j * c->ld[which] : i * c->ld[which] + j);
}

static void choose(fuzz *f, stack_call *c)
{
    static const int64_t most_size[] = {3, 9, 17, 40}, most_entries[] = {2, 20, 100, 2500};
    static const char *const labels[] = {"A", "B", "C"};
    const subwave_dtype dtype = FUZZ_PICK(f, batched_dtypes);
    const int64_t most = FUZZ_PICK(f, most_size);
    c->dtype = (int32_t)dtype;
    c->layout = (int32_t)fuzz_between(f, 1, 2);
    c->transpose[A] = (int32_t)fuzz_between(f, 1, 3);
    c->transpose[B] = (int32_t)fuzz_between(f, 1, 3);
    c->m = fuzz_between(f, 0, most);
    c->n = fuzz_between(f, 0, most);
    c->k = fuzz_between(f, 0, most);
    c->entries = fuzz_between(f, 0, most > 9 ? 40 : FUZZ_PICK(f, most_entries));
    c->base = (int32_t)fuzz_between(f, 0, 1);
    c->alpha = scalar(f, "alpha", dtype, &c->alpha_value);
    c->beta = scalar(f, "beta", dtype, &c->beta_value);
    const bool wide = fuzz_one_in(f, 2);
    const size_t size = subwave_dtype_size(dtype), offset_size = wide ? 8 : 4;
    c->offset_dtype = wide ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32;
    int64_t apart[3];
    for (int which = 0; which < 3; ++which) {
        int64_t rows, columns;
        shape_of(c, which, &rows, &columns);
        const bool by_columns = c->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
        const int64_t length = by_columns ? rows : columns, lines = by_columns ? columns : rows;
        c->ld[which] = (length > 1 ? length : 1) + fuzz_between(f, 0, 2);
        apart[which] = lines * c->ld[which];
        const int64_t elements = apart[which] * MATRICES;
        c->on[which] = fuzz_take(f, FUZZ_DEVICE, labels[which], (size_t)elements * size, size);
        for (int64_t i = 0; i < elements; ++i)
            number_set(dtype, c->on[which]->contents, i, small_number(f, dtype));
        c->pointer[which] = c->on[which]->pointer;
    }
    const size_t count = 3 * (size_t)c->entries;
    fuzz_memory *const offsets =
        fuzz_take(f, FUZZ_DEVICE, "offsets", count * offset_size, offset_size);
    c->offset_of = malloc(count * sizeof *c->offset_of + 1);
    for (size_t i = 0; i < count; ++i) {
        c->offset_of[i] = apart[i % 3] * fuzz_between(f, 0, MATRICES - 1);
        reference_store((subwave_dtype)c->offset_dtype, offsets->contents, (int64_t)i,
                        (uint64_t)(c->offset_of[i] + c->base));
    }
    c->offsets = c->entries ? (const void *)offsets->pointer : fuzz_nowhere(f);
}

static bool is_empty(const stack_call *c) { return c->m == 0 || c->n == 0 || c->entries == 0; }

/* What of the workspace it takes: a hash table, numbers of the entries, lists and terms. */
static int64_t workspace(const stack_call *c)
{
    int64_t slots = 2;
    while (slots < 2 * c->entries)
        slots *= 2;
    return 4096 + 16 * slots + 16 + 3 * ((4 * c->entries + 15) / 16 * 16) + 32 * c->entries;
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, stack_call *c, fuzz_expected *e)
{
    const bool looks = !is_empty(c), reads = looks && c->k > 0 && c->alpha_value != 0;
    const size_t size = subwave_dtype_size((subwave_dtype)c->dtype);
    static const char *const names[] = {"a", "b", "c"}, *const lds[] = {"lda", "ldb", "ldc"};
    const int which = (int)fuzz_between(f, 0, 2);
    switch (fuzz_between(f, 0, 8)) {
    case 0:
        c->handle = fuzz_no_context(e);
        return;
    case 1:
        c->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        c->layout = fuzz_outside(f, 1, SUBWAVE_LAYOUT_COLUMN_MAJOR);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "layout");
        return;
    case 3:
        c->base = fuzz_outside(f, 0, 1);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "base");
        return;
    case 4:
        c->entries = fuzz_one_in(f, 2) ? -c->entries - 1 : INT64_MAX - c->entries;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "entries");
        return;
    case 5:
        c->ld[which] = -fuzz_between(f, 0, 9);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, lds[which]);
        return;
    case 6:
        c->offset_dtype = SUBWAVE_DTYPE_F32;
        fuzz_wrong(e, SUBWAVE_STATUS_UNSUPPORTED, "offset_dtype");
        return;
    case 7:
        if (which == C ? looks : reads) {
            c->pointer[which] = fuzz_misaligned(f, c->pointer[which], size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, names[which]);
        }
        return;
    default:
        if (looks) {
            c->offsets =
                fuzz_misaligned(f, c->offsets, subwave_dtype_size((subwave_dtype)c->offset_dtype));
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "offsets");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static number element(const stack_call *c, int which, int64_t offset, int64_t i, int64_t j)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    if (c->transpose[which] == SUBWAVE_TRANSPOSE_NONE)
        return number_get(dtype, c->on[which]->contents, place(c, which, offset, i, j));
    const number value = number_get(dtype, c->on[which]->contents, place(c, which, offset, j, i));
    return c->transpose[which] == SUBWAVE_TRANSPOSE_CONJUGATE ? conj(value) : value;
}

/* Of zeros the sign is not known: kernels add zeros where a matrix ends. */
static void expect_results(fuzz *f, const stack_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    for (int64_t e = 0; e < c->entries; ++e) {
        const int64_t *const offset = &c->offset_of[3 * e];
        bool is_first = true;
        for (int64_t other = 0; other < e; ++other)
            is_first = is_first && c->offset_of[3 * other + 2] != offset[2];
        for (int64_t i = 0; i < c->m; ++i)
            for (int64_t j = 0; j < c->n; ++j) {
                const int64_t at = place(c, C, offset[2], i, j);
                number sum = 0;
                for (int64_t l = 0; c->alpha_value != 0 && l < c->k; ++l)
                    sum += element(c, A, offset[0], i, l) * element(c, B, offset[1], l, j);
                const number old = number_get(dtype, c->on[C]->contents, at);
                number_set(dtype, c->on[C]->contents, at,
                           c->alpha_value * sum + (is_first ? c->beta_value * old : old));
            }
    }
    const unsigned char *const found = fuzz_now(f, c->on[C]);
    const subwave_dtype part = reference_part(dtype);
    const int64_t parts = (int64_t)(c->on[C]->bytes / subwave_dtype_size(part));
    for (int64_t i = 0; i < parts; ++i) {
        const uint64_t bits = reference_load(part, found, i);
        if (reference_decode(part, bits) == 0 &&
            reference_decode(part, reference_load(part, c->on[C]->contents, i)) == 0)
            reference_store(part, c->on[C]->contents, i, bits);
    }
}

void fuzz_matmul_stacked(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    stack_call c = {.handle = context->handle};
    choose(f, &c);
    const int64_t entries = c.entries;
    const bool idle = is_empty(&c) || ((c.k == 0 || c.alpha_value == 0) && c.beta_value == 1);
    if (fuzz_one_in(f, 4))
        spoil(f, &c, &expected);
    else if (!idle)
        fuzz_expect_workspace(f, c.handle, workspace(&c), &expected);
    fuzz_words(f,
               "subwave_matmul_stacked(%s, dtype %d, layout %d, transposes %d %d, m %" PRId64
               ", n %" PRId64 ", k %" PRId64 ", alpha %g%+gi, lda %" PRId64 ", ldb %" PRId64
               ", beta %g%+gi, ldc %" PRId64
               ", offset_dtype %d, base %d, offsets %p, entries %" PRId64 ")",
               c.handle ? "context" : "no context", (int)c.dtype, (int)c.layout,
               (int)c.transpose[A], (int)c.transpose[B], c.m, c.n, c.k, creal(c.alpha_value),
               cimag(c.alpha_value), c.ld[A], c.ld[B], creal(c.beta_value), cimag(c.beta_value),
               c.ld[C], (int)c.offset_dtype, (int)c.base, c.offsets, c.entries);
    fuzz_upload(f);
    if (fuzz_returns(
            f, context, &expected,
            subwave_matmul_stacked(c.handle, (subwave_dtype)c.dtype, (subwave_layout)c.layout,
                                   (subwave_transpose_kind)c.transpose[A],
                                   (subwave_transpose_kind)c.transpose[B], c.m, c.n, c.k, c.alpha,
                                   c.pointer[A], c.ld[A], c.pointer[B], c.ld[B], c.beta,
                                   (void *)(uintptr_t)c.pointer[C], c.ld[C],
                                   (subwave_dtype)c.offset_dtype, c.base, c.offsets, c.entries)) &&
        entries > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        expect_results(f, &c);
    }
    free(c.offset_of);
    fuzz_check_memory(f);
}
