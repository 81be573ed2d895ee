/* SPDX-License-Identifier: MIT
 * test_scatter_add.c: subwave_scatter_add against a plain loop: every type and order, few cells and
 * many, one cell with nearly all elements, indices outside, and floats that are hard to add.
 */
#include "arrays.h"

#include "../reference_array.h"

#include <math.h>

static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I32, SUBWAVE_DTYPE_U32, SUBWAVE_DTYPE_I64,
                                       SUBWAVE_DTYPE_U64, SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64};

typedef struct fixture {
    arrays a; /* x: the values */
    guarded indices;
    int64_t *wanted; /* indices; the call is given those that the type of indices has */
    int64_t room;
    void *workspace;
} fixture;

enum { MOST_CELLS = 30000 };

/* With a workspace for so many cells in fixed point, which the context of a small device lacks. */
static fixture fixture_create(subwave_context *context)
{
    enum { BYTES = 4352 + 20 * MOST_CELLS };
    fixture f = {.a = arrays_create(context), .indices = {.context = context}};
    assert_ok(context, subwave_malloc(context, &f.workspace, BYTES));
    assert_ok(context, subwave_set_workspace(context, f.workspace, BYTES));
    return f;
}

static void fixture_destroy(fixture *f)
{
    subwave_context *context = f->a.context;
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, f->workspace));
    guarded_destroy(&f->indices);
    arrays_destroy(&f->a);
    free(f->wanted);
}

static int64_t *indices_of(fixture *f, int64_t n)
{
    if (n > f->room || !f->wanted) {
        free(f->wanted);
        f->room = n;
        f->wanted = malloc((size_t)n * sizeof *f->wanted + 1);
        assert_non_null(f->wanted);
    }
    return f->wanted;
}

enum { UNIFORM, HOT, ONE, NEIGHBOURS, KINDS };

/* Some of them outside, which in 32 bits would be inside. */
static void fill_indices(fixture *f, int kind, int64_t n, int64_t cells, bool outside)
{
    static const int64_t wrong[] = {
        -1, INT64_MIN, INT64_MAX, -((int64_t)1 << 32), (int64_t)1 << 32, INT32_MIN, INT32_MAX};
    int64_t *const indices = indices_of(f, n);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t r = harness_random_bits(&f->a.random);
        const int64_t any = (int64_t)((r >> 8) % (uint64_t)cells);
        indices[i] = kind == UNIFORM                     ? any
                     : kind == NEIGHBOURS                ? i / 5 % cells
                     : kind == ONE || (r >> 60) % 16 > 0 ? cells - 1
                                                         : any;
        if (outside && r % 8 == 0)
            indices[i] = r % 32 == 0 ? cells : wrong[r / 64 % COUNT(wrong)];
    }
}

/* What y becomes, which is y before the call; for malloc's user to free. */
static unsigned char *scatter(fixture *f, subwave_dtype dtype, subwave_order order,
                              subwave_dtype index_dtype, int64_t n, int64_t cells, const void *y,
                              unsigned turn)
{
    const size_t size = subwave_dtype_size(dtype), index_size = subwave_dtype_size(index_dtype);
    unsigned char *const stored = malloc((size_t)n * index_size + 1), *const found = malloc(
                                                                          (size_t)cells * size + 1);
    assert_true(stored && found);
    for (int64_t i = 0; i < n; ++i) {
        if (index_dtype == SUBWAVE_DTYPE_I32 && f->wanted[i] != (int32_t)f->wanted[i])
            f->wanted[i] = -1 - i % 7;
        reference_store(index_dtype, stored, i, (uint64_t)f->wanted[i]);
    }
    guarded_reset(&f->a.x, turn % 2 ? 16 : size, f->a.values, (size_t)n * size);
    guarded_reset(&f->indices, turn % 3 ? 16 : index_size, stored, (size_t)n * index_size);
    guarded_reset(&f->a.y, size, y, (size_t)cells * size);
    assert_ok(f->a.context, subwave_scatter_add(f->a.context, dtype, order, n, index_dtype,
                                                n ? guarded_pointer(&f->indices) : NULL,
                                                n ? guarded_pointer(&f->a.x) : NULL, cells,
                                                guarded_pointer(&f->a.y)));
    assert_int_equal(guarded_read(&f->a.y, found), 0);
    assert_int_equal(guarded_changes(&f->a.x), 0);
    assert_int_equal(guarded_changes(&f->indices), 0);
    free(stored);
    return found;
}

/* Bit for bit; of ANY with floats the values must be such that no sum is rounded. */
static void check(fixture *f, subwave_dtype dtype, subwave_order order, subwave_dtype index_dtype,
                  int64_t n, int64_t cells, unsigned turn)
{
    const size_t bytes = (size_t)cells * subwave_dtype_size(dtype);
    unsigned char *const before = malloc(bytes + 1), *const right = malloc(bytes + 1);
    assert_true(before && right);
    for (int64_t c = 0; c < cells; ++c)
        reference_store(dtype, before, c, reference_encode(dtype, (double)(c % 11)));
    unsigned char *const found = scatter(f, dtype, order, index_dtype, n, cells, before, turn);
    memcpy(right, before, bytes);
    reference_array_scatter_add(dtype, n, f->wanted, f->a.values, cells, right);
    for (int64_t c = 0; c < cells; ++c) {
        const uint64_t a = reference_load(dtype, found, c), b = reference_load(dtype, right, c);
        if (order == SUBWAVE_ORDER_ANY ? !reference_same(dtype, a, b) : a != b)
            fail_msg("%s, %s, %s, n = %lld: cell %lld of %lld is %.17g (%llx), not %.17g (%llx)",
                     subwave_dtype_name(dtype), subwave_order_name(order),
                     subwave_dtype_name(index_dtype), (long long)n, (long long)c, (long long)cells,
                     reference_decode(dtype, a), (unsigned long long)a, reference_decode(dtype, b),
                     (unsigned long long)b);
    }
    free(found);
    free(before);
    free(right);
}

/* Integers of any bits, floats of which sums are exact. */
static void fill_exact(fixture *f, subwave_dtype dtype, int64_t n)
{
    arrays_fill(&f->a, dtype, SUBWAVE_OP_PLUS, n);
    if (reference_is_floating(dtype))
        for (int64_t i = 0; i < n; ++i)
            reference_store(
                dtype, f->a.values, i,
                reference_encode(dtype, (double)(harness_random_bits(&f->a.random) % 17) - 8));
}

/* Floats of very different sizes, of both signs. */
static void fill_hard(fixture *f, subwave_dtype dtype, int64_t n, int from, int to)
{
    arrays_fill(&f->a, dtype, SUBWAVE_OP_PLUS, n);
    for (int64_t i = 0; i < n; ++i) {
        const double unit = harness_random_sign(&f->a.random);
        const int e = from + (int)(harness_random_bits(&f->a.random) % (unsigned)(to - from + 1));
        reference_store(dtype, f->a.values, i, reference_encode(dtype, ldexp(unit, e)));
    }
}

static const int64_t cell_counts[] = {1,    2,    3,    10,   64,   100,  1000,
                                      2048, 2049, 4096, 4097, 8192, 8193, 20000};

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    fixture f = fixture_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_orders); ++o)
            for (size_t c = 0; c < COUNT(cell_counts); ++c, ++turn) {
                const int64_t pack = 128 / reference_width(dtypes[d]);
                const array_size s = fold_sizes[turn % COUNT(fold_sizes)];
                const int64_t n = s.packs * pack + s.elements;
                const bool any = all_orders[o] == SUBWAVE_ORDER_ANY;
                fill_indices(&f, (int)(turn % KINDS), n, cell_counts[c], turn % 5 > 1);
                if (any || turn % 2)
                    fill_exact(&f, dtypes[d], n);
                else if (reference_is_floating(dtypes[d]))
                    fill_hard(&f, dtypes[d], n, -40, 40);
                else
                    arrays_fill(&f.a, dtypes[d], SUBWAVE_OP_PLUS, n);
                check(&f, dtypes[d], all_orders[o],
                      turn / 2 % 2 ? SUBWAVE_DTYPE_I32 : SUBWAVE_DTYPE_I64, n, cell_counts[c],
                      turn);
            }
    fixture_destroy(&f);
}

/* So many elements that blocks sum in shared memory whatever the device. */
static void test_many(void **state)
{
    static const int64_t counts[] = {1, 50, 1500, MOST_CELLS};
    fixture f = fixture_create(*state);
    const int64_t n = harness_is_cpu(*state) ? 60007 : 1000011;
    unsigned turn = 0;
    for (size_t c = 0; c < COUNT(counts); ++c)
        for (int kind = 0; kind < KINDS; ++kind, ++turn) {
            const subwave_dtype dtype = dtypes[turn % COUNT(dtypes)];
            fill_indices(&f, kind, n, counts[c], turn % 2);
            fill_exact(&f, dtype, n);
            check(&f, dtype, SUBWAVE_ORDER_ANY, SUBWAVE_DTYPE_I32, n, counts[c], turn);
            const subwave_dtype real = turn % 2 ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64;
            fill_hard(&f, real, n, -60, 20);
            check(&f, real, SUBWAVE_ORDER_FIXED, SUBWAVE_DTYPE_I64, n, counts[c], turn);
        }
    fixture_destroy(&f);
}

/* Numbers below the normal ones, sums that exceed them all, and sizes around what the parts have. */
static void test_sizes_of_numbers(void **state)
{
    static const struct {
        int from, to;
    } f32[] = {{-149, -126}, {-149, -100}, {-149, 127}, {127, 128}, {100, 127}, {-149, -149}},
      f64[] = {{-1074, -1022}, {-1074, -900}, {-1074, 1023},
               {1023, 1023},   {-20, 100},    {-1074, -1074}};
    fixture f = fixture_create(*state);
    for (unsigned turn = 0; turn < 4 * COUNT(f32); ++turn)
        for (int64_t n = 1; n < 3000; n = n * 3 + 1) {
            const bool wide = turn % 2;
            const size_t r = turn / 4;
            const subwave_dtype dtype = wide ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;
            fill_indices(&f, UNIFORM, n, 5, false);
            fill_hard(&f, dtype, n, wide ? f64[r].from : f32[r].from, wide ? f64[r].to : f32[r].to);
            check(&f, dtype, turn / 2 % 2 ? SUBWAVE_ORDER_DEVICE : SUBWAVE_ORDER_FIXED,
                  SUBWAVE_DTYPE_I32, n, 5, turn);
        }
    fixture_destroy(&f);
}

/* Few numbers, of which sums are known. */
static void test_special(void **state)
{
    const double inf = INFINITY;
    const double tiny = ldexp(1, -55);
    const struct {
        double x[4], before, right; /* all four are added to one cell */
    } cases[] = {
        {{1, 2, 3, 4}, 0.5, 10.5},      {{inf, 1, 2, 3}, 1, inf},
        {{inf, -inf, 2, 3}, 1, NAN},    {{NAN, 1, 2, 3}, 1, NAN},
        {{-inf, 1, 2, 3}, 1, -inf},     {{-inf, 1, 2, 3}, inf, NAN},
        {{NAN, inf, 2, 3}, 1, NAN},     {{1, 2, 3, 4}, NAN, NAN},
        {{1, 2, 3, 4}, -inf, -inf},     {{1, -1, 1, -1}, -0.0, -0.0},
        {{0, 0, 0, 0}, 7, 7},           {{1e300, -1e300, 1, 0}, 0, 1 - 1},
        {{1, tiny, -1, 0}, 0, tiny},    {{-0.0, -0.0, -0.0, -0.0}, -0.0, -0.0},
        {{1e308, 1e308, 0, 0}, 0, inf}, {{-1e308, -1e308, 0, 0}, 1, -inf},
        {{1, -tiny, -1, tiny}, 3, 3},   {{inf, inf, inf, inf}, 3, inf},
    };
    fixture f = fixture_create(*state);
    for (size_t c = 0; c < COUNT(cases); ++c) {
        arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 5);
        memcpy(f.a.values, cases[c].x, sizeof cases[c].x);
        int64_t *const indices = indices_of(&f, 5);
        for (int i = 0; i < 5; ++i)
            indices[i] = i < 4 ? 1 : 3; /* the fifth is outside, and larger than all */
        reference_store(SUBWAVE_DTYPE_F64, f.a.values, 4,
                        reference_encode(SUBWAVE_DTYPE_F64, c % 2 ? (double)INFINITY : 1.7e308));
        const double before[3] = {-5, cases[c].before, 6};
        unsigned char *const found = scatter(&f, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED,
                                             SUBWAVE_DTYPE_I32, 5, 3, before, (unsigned)c);
        const uint64_t sum = reference_load(SUBWAVE_DTYPE_F64, found, 1);
        const double right = cases[c].right;
        if (isnan(right) ? sum != UINT64_C(0x7ff8000000000000)
                         : sum != reference_encode(SUBWAVE_DTYPE_F64, right))
            fail_msg("case %zu: %g, not %g", c, reference_decode(SUBWAVE_DTYPE_F64, sum), right);
        assert_memory_equal(found, before, sizeof *before);
        assert_memory_equal(found + 16, before + 2, sizeof *before);
        free(found);
    }
    /* In any order, too, what is no number comes out as one. */
    const double mixed[] = {1,           (double)INFINITY, 2,
                            (double)NAN, (double)INFINITY, -(double)INFINITY};
    arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 6);
    memcpy(f.a.values, mixed, sizeof mixed);
    int64_t *const indices = indices_of(&f, 6);
    for (int i = 0; i < 6; ++i)
        indices[i] = i / 2;
    check(&f, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_ANY, SUBWAVE_DTYPE_I64, 6, 3, 0);
    fixture_destroy(&f);
}

/* In any order the sum of rounded floats is near that of any other. */
static void test_any_order(void **state)
{
    enum { N = 5000, CELLS = 300 };
    fixture f = fixture_create(*state);
    for (int wide = 0; wide < 2; ++wide) {
        const subwave_dtype dtype = wide ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;
        fill_indices(&f, HOT, N, CELLS, true);
        fill_hard(&f, dtype, N, -3, 0);
        uint64_t before[CELLS] = {0};
        unsigned char *const any =
            scatter(&f, dtype, SUBWAVE_ORDER_ANY, SUBWAVE_DTYPE_I32, N, CELLS, before, 1);
        reference_array_scatter_add(dtype, N, f.wanted, f.a.values, CELLS, before);
        for (int c = 0; c < CELLS; ++c)
            assert_true(fabs(reference_decode(dtype, reference_load(dtype, any, c)) -
                             reference_decode(dtype, reference_load(dtype, before, c))) <=
                        ldexp(N * N, -(int)reference_fraction(dtype) - 6));
        free(any);
    }
    fixture_destroy(&f);
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { CELLS = 77, NEEDED = 4352 + 20 * CELLS, N = 500 };
    fixture f = fixture_create(context);
    void *workspace;
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    float y[CELLS] = {0};
    for (int again = 0; again < 2; ++again) { /* in what the first call left */
        assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
        fill_indices(&f, UNIFORM, N, CELLS, true);
        fill_hard(&f, SUBWAVE_DTYPE_F32, N, -40, again ? -20 : 40);
        check(&f, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, SUBWAVE_DTYPE_I64, N, CELLS, 0);
    }
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
    guarded_reset(&f.a.y, sizeof *y, y, sizeof y);
    assert_int_equal(subwave_scatter_add(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_DEVICE, N,
                                         SUBWAVE_DTYPE_I64, guarded_pointer(&f.indices),
                                         guarded_pointer(&f.a.x), CELLS, guarded_pointer(&f.a.y)),
                     SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_int_equal(guarded_changes(&f.a.y), 0);
    /* Others need none. */
    assert_ok(context, subwave_set_workspace(context, workspace, 0));
    fill_exact(&f, SUBWAVE_DTYPE_F32, N);
    check(&f, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_ANY, SUBWAVE_DTYPE_I64, N, CELLS, 0);
    check(&f, SUBWAVE_DTYPE_I32, SUBWAVE_ORDER_FIXED, SUBWAVE_DTYPE_I64, N, CELLS, 0);
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    fixture_destroy(&f);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[2] = {1, 2}, y[2] = {-1, -1};
    int64_t indices[2] = {0, 1};
    const int64_t huge = INT64_MAX / 2;
    enum {
        F64 = SUBWAVE_DTYPE_F64,
        I32 = SUBWAVE_DTYPE_I32,
        I64 = SUBWAVE_DTYPE_I64,
        ANY = SUBWAVE_ORDER_ANY
    };
    const struct {
        subwave_status status;
        int dtype, order, index_dtype;
        int64_t n, cells;
        const void *indices, *x;
        void *y;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, 0, ANY, I64, 2, 2, indices, x, y, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F16, ANY, I64, 2, 2, indices, x, y, "f16"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, ANY, I64, 2, 2, indices, x, y, "c32"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 0, I64, 2, 2, indices, x, y, "order is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, GREATEST(SUBWAVE_ORDER_LIST) + 1, I64, 2, 2, indices, x,
         y, "order is"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, ANY, 0, 2, 2, indices, x, y, "index_dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, F64, ANY, SUBWAVE_DTYPE_U32, 2, 2, indices, x, y,
         "index_dtype is u32"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, I64, -1, 2, indices, x, y, "n is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, I64, huge, 2, indices, x, y, "n is"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, I64, 2, -3, indices, x, y, "cells is -3"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, I64, 0, huge, indices, x, y, "cells is"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, NULL, x, y, "indices is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, (char *)indices + 4, x, y,
         "indices "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I32, 2, 2, (char *)indices + 2, x, y,
         "indices "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, indices, NULL, y, "values is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, indices, (char *)x + 4, y, "values "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, indices, x, NULL, "y is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, I64, 2, 2, indices, x, (char *)y + 1, "y "},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_scatter_add(
            context, (subwave_dtype)cases[c].dtype, (subwave_order)cases[c].order, cases[c].n,
            (subwave_dtype)cases[c].index_dtype, cases[c].indices, cases[c].x, cases[c].cells,
            cases[c].y);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(y[0] == -1 && y[1] == -1);
    }
    for (int which = 0; which < 2; ++which)
        assert_ok(context, subwave_scatter_add(context, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED,
                                               which ? 2 : 0, SUBWAVE_DTYPE_I64, NULL, NULL,
                                               which ? 0 : 2, NULL));
    assert_int_equal(subwave_scatter_add(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_ANY, 2,
                                         SUBWAVE_DTYPE_I64, indices, x, 2, y),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_sizes_of_numbers),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("scatter_add", tests, COUNT(tests));
}
