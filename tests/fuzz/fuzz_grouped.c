/* SPDX-License-Identifier: MIT
 * fuzz_grouped.c: subwave_matmul_grouped. All numbers are small integers, of which every sum is
 * exact.
 */
#include "fuzz.h"

#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, OPERANDS };
enum { M, N, K, SIZES };
enum { MOST = 400 /* problems */ };

/* The arguments, wrong ones too. */
typedef struct grouped_call {
    subwave_context *handle;
    int32_t dtype, layout, transpose[2];
    int64_t count;
    const void *alpha, *beta, *sizes[SIZES], *matrices[OPERANDS], *lds[OPERANDS];

    /* What is in memory. */
    number alpha_value, beta_value;
    int64_t size[SIZES][MOST], ld[OPERANDS][MOST], first[OPERANDS][MOST];
    bool possible[MOST];
    fuzz_memory *on[OPERANDS];
} grouped_call;

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

static bool by_columns(const grouped_call *c) { return c->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR; }

/* Rows and columns of a problem's matrix as it is stored. */
static void shape_of(const grouped_call *c, int which, int64_t i, int64_t *rows, int64_t *columns)
{
    static const int sides[OPERANDS][2] = {{M, K}, {K, N}, {M, N}};
    const bool flipped = which != C && c->transpose[which] != SUBWAVE_TRANSPOSE_NONE;
    *rows = c->size[sides[which][flipped]][i];
    *columns = c->size[sides[which][!flipped]][i];
}

static int64_t place(const grouped_call *c, int which, int64_t p, int64_t i, int64_t j)
{
    const int64_t ld = c->ld[which][p];
    return c->first[which][p] + (by_columns(c) ? i + j * ld : i * ld + j);
}

/* Device memory with a number for each problem, or what must not be read if there are none. */
static const void *numbers(fuzz *f, const grouped_call *c, const char *label, const void *of)
{
    return c->count == 0 ? fuzz_nowhere(f)
                         : fuzz_put(f, FUZZ_DEVICE, label, of, (size_t)c->count * 8, 8)->pointer;
}

static void choose(fuzz *f, grouped_call *c)
{
    static const int64_t most_size[] = {2, 9, 17, 70}, most_count[] = {1, 10, 60, MOST};
    static const char *const size_labels[] = {"m", "n", "k"}, *const labels[] = {"A", "B", "C"},
                             *const list_labels[] = {"a", "b", "c"},
                             *const ld_labels[] = {"lda", "ldb", "ldc"};
    const subwave_dtype dtype = FUZZ_PICK(f, batched_dtypes);
    const size_t size = subwave_dtype_size(dtype);
    const int64_t most = FUZZ_PICK(f, most_size);
    c->dtype = (int32_t)dtype;
    c->layout = (int32_t)fuzz_between(f, 1, 2);
    c->transpose[A] = (int32_t)fuzz_between(f, 1, 3);
    c->transpose[B] = (int32_t)fuzz_between(f, 1, 3);
    c->count = fuzz_between(f, 0, most > 9 ? 12 : FUZZ_PICK(f, most_count));
    c->alpha = scalar(f, "alpha", dtype, &c->alpha_value);
    c->beta = scalar(f, "beta", dtype, &c->beta_value);
    for (int s = 0; s < SIZES; ++s)
        for (int64_t i = 0; i < c->count; ++i)
            c->size[s][i] = fuzz_between(f, 0, most);
    for (int which = 0; which < OPERANDS; ++which) {
        int64_t elements = 0;
        for (int64_t i = 0; i < c->count; ++i) {
            int64_t rows, columns;
            shape_of(c, which, i, &rows, &columns);
            const int64_t length = by_columns(c) ? rows : columns;
            c->ld[which][i] = (length > 1 ? length : 1) + fuzz_between(f, 0, 2);
            c->first[which][i] = elements;
            elements += (by_columns(c) ? columns : rows) * c->ld[which][i];
        }
        c->on[which] = fuzz_take(f, FUZZ_DEVICE, labels[which], (size_t)elements * size, size);
        for (int64_t i = 0; i < elements; ++i)
            number_set(dtype, c->on[which]->contents, i, small_number(f, dtype));
    }
    /* Sizes that are not possible, after the matrices were laid out by others. */
    for (int64_t i = 0; i < c->count; ++i) {
        c->possible[i] = !fuzz_one_in(f, 30);
        if (!c->possible[i])
            c->size[fuzz_between(f, M, N)][i] =
                fuzz_one_in(f, 2) ? -1 - fuzz_between(f, 0, 5) : INT64_MAX - fuzz_between(f, 0, 5);
    }
    for (int s = 0; s < SIZES; ++s)
        c->sizes[s] = numbers(f, c, size_labels[s], c->size[s]);
    for (int which = 0; which < OPERANDS; ++which) {
        const void *addresses[MOST];
        for (int64_t i = 0; i < c->count; ++i)
            addresses[i] = (const char *)c->on[which]->pointer + (size_t)c->first[which][i] * size;
        c->matrices[which] = numbers(f, c, list_labels[which], addresses);
        c->lds[which] = numbers(f, c, ld_labels[which], c->ld[which]);
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, grouped_call *c, fuzz_expected *e)
{
    static const char *const sizes[] = {"m", "n", "k"}, *const names[] = {"a", "b", "c"},
                             *const lds[] = {"lda", "ldb", "ldc"};
    const bool looks = c->count > 0, reads = looks && c->alpha_value != 0;
    const int which = (int)fuzz_between(f, 0, 2);
    switch (fuzz_between(f, 0, 6)) {
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
        c->count = fuzz_one_in(f, 2) ? -c->count - 1 : INT64_MAX - c->count;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "count");
        return;
    case 4:
        if (which == K ? reads : looks) {
            c->sizes[which] = fuzz_misaligned(f, c->sizes[which], 8);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, sizes[which]);
        }
        return;
    case 5:
        if (which == C ? looks : reads) {
            c->matrices[which] = fuzz_misaligned(f, c->matrices[which], 8);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, names[which]);
        }
        return;
    default:
        if (which == C ? looks : reads) {
            c->lds[which] = fuzz_misaligned(f, c->lds[which], 8);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, lds[which]);
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static number element(const grouped_call *c, int which, int64_t p, int64_t i, int64_t j)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    if (c->transpose[which] == SUBWAVE_TRANSPOSE_NONE)
        return number_get(dtype, c->on[which]->contents, place(c, which, p, i, j));
    const number value = number_get(dtype, c->on[which]->contents, place(c, which, p, j, i));
    return c->transpose[which] == SUBWAVE_TRANSPOSE_CONJUGATE ? conj(value) : value;
}

/* Of zeros the sign is not known: kernels add zeros where a matrix ends. */
static void expect_results(fuzz *f, const grouped_call *c)
{
    const subwave_dtype dtype = (subwave_dtype)c->dtype;
    for (int64_t p = 0; p < c->count; ++p)
        for (int64_t i = 0; c->possible[p] && i < c->size[M][p]; ++i)
            for (int64_t j = 0; j < c->size[N][p]; ++j) {
                const int64_t at = place(c, C, p, i, j);
                number sum = 0;
                for (int64_t l = 0; c->alpha_value != 0 && l < c->size[K][p]; ++l)
                    sum += element(c, A, p, i, l) * element(c, B, p, l, j);
                number_set(dtype, c->on[C]->contents, at,
                           c->alpha_value * sum +
                               c->beta_value * number_get(dtype, c->on[C]->contents, at));
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

void fuzz_matmul_grouped(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    grouped_call c = {.handle = context->handle};
    choose(f, &c);
    const int64_t count = c.count;
    const bool idle = count == 0 || (c.alpha_value == 0 && c.beta_value == 1);
    if (fuzz_one_in(f, 4))
        spoil(f, &c, &expected);
    else if (!idle)
        fuzz_expect_workspace(f, c.handle, 4096 + 32 * (1 + (count + 255) / 256 + count),
                              &expected);
    fuzz_words(f,
               "subwave_matmul_grouped(%s, dtype %d, layout %d, transposes %d %d, alpha %g%+gi, "
               "beta %g%+gi, count %" PRId64 ")",
               c.handle ? "context" : "no context", (int)c.dtype, (int)c.layout,
               (int)c.transpose[A], (int)c.transpose[B], creal(c.alpha_value), cimag(c.alpha_value),
               creal(c.beta_value), cimag(c.beta_value), c.count);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected,
                     subwave_matmul_grouped(
                         c.handle, (subwave_dtype)c.dtype, (subwave_layout)c.layout,
                         (subwave_transpose_kind)c.transpose[A],
                         (subwave_transpose_kind)c.transpose[B], c.sizes[M], c.sizes[N], c.sizes[K],
                         c.alpha, c.matrices[A], c.lds[A], c.matrices[B], c.lds[B], c.beta,
                         (void *const *)(uintptr_t)c.matrices[C], c.lds[C], c.count)) &&
        count > 0) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        expect_results(f, &c);
    }
    fuzz_check_memory(f);
}
