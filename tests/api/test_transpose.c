/* SPDX-License-Identifier: MIT
 * test_transpose.c: subwave_transpose and subwave_transpose_strided_batched, element by element: every
 * size of elements, shapes around tiles, gaps, both orders, in place, batches.
 */
#include "arrays.h"

/* Elements of every size, and a complex type that is aligned as its parts. */
static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I8,  SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_F32,
                                       SUBWAVE_DTYPE_C32, SUBWAVE_DTYPE_I64,  SUBWAVE_DTYPE_C64};

typedef struct matrices {
    subwave_dtype dtype;
    subwave_layout layout;
    int64_t m, n, ldx, ldy, stride_x, stride_y, batch;
    bool aligned, single; /* single: not by the call for batches */
} matrices;

/* Where element (i, j) of matrix e is. */
static int64_t place(subwave_layout layout, int64_t ld, int64_t stride, int64_t e, int64_t i,
                     int64_t j)
{
    return e * stride + (layout == SUBWAVE_LAYOUT_ROW_MAJOR ? i * ld + j : j * ld + i);
}

/* Elements from the first one of all matrices of x, or of y, to behind the last. */
static int64_t extent(const matrices *t, bool of_y)
{
    const bool lines_are_rows = (t->layout == SUBWAVE_LAYOUT_ROW_MAJOR) != of_y;
    const int64_t lines = lines_are_rows ? t->m : t->n, length = lines_are_rows ? t->n : t->m;
    return lines && length && t->batch ? (t->batch - 1) * (of_y ? t->stride_y : t->stride_x) +
                                             (lines - 1) * (of_y ? t->ldy : t->ldx) + length
                                       : 0;
}

static subwave_status call(subwave_context *context, const matrices *t, const void *x, void *y)
{
    return t->single
               ? subwave_transpose(context, t->dtype, t->layout, t->m, t->n, x, t->ldx, y, t->ldy)
               : subwave_transpose_strided_batched(context, t->dtype, t->layout, t->m, t->n, x,
                                                   t->ldx, t->stride_x, y, t->ldy, t->stride_y,
                                                   t->batch);
}

/* y holds something else before, also in its gaps, which stay as they are. */
static void check(arrays *a, const matrices *t, bool in_place)
{
    const size_t size = subwave_dtype_size(t->dtype);
    const size_t alignment = t->aligned ? 16 : subwave_dtype_size(reference_part(t->dtype));
    const size_t of_x = (size_t)extent(t, false), of_y = (size_t)extent(t, true);
    unsigned char *const wanted = malloc(of_y * size + 1);
    assert_non_null(wanted);
    arrays_fill(a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, (int64_t)(of_x * size));
    guarded_reset(&a->x, alignment, a->values, of_x * size);
    for (size_t i = 0; i < of_y * size; ++i)
        wanted[i] = in_place ? a->values[i] : (unsigned char)(0x5a ^ i);
    guarded_reset(&a->y, alignment, wanted, of_y * size);
    for (int64_t e = 0; e < t->batch; ++e)
        for (int64_t i = 0; i < t->m; ++i)
            for (int64_t j = 0; j < t->n; ++j)
                memcpy(wanted + (size_t)place(t->layout, t->ldy, t->stride_y, e, j, i) * size,
                       a->values + (size_t)place(t->layout, t->ldx, t->stride_x, e, i, j) * size,
                       size);
    guarded *const result = in_place ? &a->x : &a->y;
    assert_ok(a->context, call(a->context, t, of_x ? guarded_pointer(&a->x) : NULL,
                               of_y ? guarded_pointer(result) : NULL));
    unsigned char *const found = malloc(of_y * size + 1);
    assert_non_null(found);
    assert_int_equal(guarded_read(result, found), 0);
    if (memcmp(found, wanted, of_y * size) != 0)
        fail_msg("%s, %lld x %lld, ld %lld and %lld, batch of %lld%s: elements are wrong",
                 subwave_dtype_name(t->dtype), (long long)t->m, (long long)t->n, (long long)t->ldx,
                 (long long)t->ldy, (long long)t->batch, in_place ? ", in place" : "");
    if (!in_place)
        assert_int_equal(guarded_changes(&a->x), 0);
    free(found);
    free(wanted);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    static const int64_t shapes[][2] = {{0, 3},    {3, 0},    {1, 1},   {1, 7},   {300, 1},
                                        {2, 3},    {15, 17},  {16, 16}, {31, 33}, {63, 65},
                                        {64, 64},  {64, 128}, {65, 63}, {96, 32}, {33, 7},
                                        {129, 70}, {17, 193}, {257, 66}};
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t s = 0; s < COUNT(shapes); ++s, ++turn) {
            const int64_t m = shapes[s][0], n = shapes[s][1];
            matrices t = {.dtype = dtypes[d],
                          .layout =
                              turn % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR,
                          .m = m,
                          .n = n,
                          .batch = 1,
                          .aligned = turn / 2 % 2,
                          .single = turn / 4 % 2};
            const bool rows = t.layout == SUBWAVE_LAYOUT_ROW_MAJOR;
            t.ldx = (rows ? n : m) + (turn / 3 % 2) * 5 + 1;
            t.ldy = (rows ? m : n) + (turn / 5 % 2) * 3 + 1;
            check(&a, &t, false);
            if (m == n) {
                t.ldy = t.ldx;
                check(&a, &t, true);
            }
        }
    arrays_destroy(&a);
}

static void test_in_place(void **state)
{
    static const int64_t sides[] = {1, 5, 16, 47, 64, 65, 128, 150};
    arrays a = arrays_create(*state);
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t s = 0; s < COUNT(sides); ++s)
            check(&a,
                  &(matrices){.dtype = dtypes[d],
                              .layout =
                                  s % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR,
                              .m = sides[s],
                              .n = sides[s],
                              .ldx = sides[s] + (int64_t)(s % 3),
                              .ldy = sides[s] + (int64_t)(s % 3),
                              .batch = 1,
                              .single = true},
                  true);
    arrays_destroy(&a);
}

/* One after another, all the same, side by side within larger rows, and in place. */
static void test_batches(void **state)
{
    arrays a = arrays_create(*state);
    for (size_t d = 0; d < COUNT(dtypes); ++d) {
        matrices t = {.dtype = dtypes[d],
                      .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
                      .m = 20,
                      .n = 70,
                      .ldx = 70,
                      .stride_x = 1400,
                      .ldy = 20,
                      .stride_y = 1400,
                      .batch = 9};
        check(&a, &t, false);
        t.stride_x = 0;
        t.stride_y = 1500;
        check(&a, &t, false);
        t.ldy = 200;
        t.stride_y = 21;
        check(&a, &t, false);
        t = (matrices){.dtype = dtypes[d],
                       .layout = SUBWAVE_LAYOUT_COLUMN_MAJOR,
                       .m = 33,
                       .n = 33,
                       .ldx = 34,
                       .ldy = 34,
                       .stride_x = 1122,
                       .stride_y = 1122,
                       .batch = 7};
        check(&a, &t, true);
        t.m = t.n = t.ldx = t.ldy = 3; /* more matrices than blocks start */
        t.stride_x = t.stride_y = 9;
        t.batch = 1000;
        check(&a, &t, true);
    }
    arrays_destroy(&a);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[64] = {0}, y[64] = {0};
    const struct {
        subwave_status status;
        int dtype, layout;
        int64_t m, n;
        const void *x;
        int64_t ldx, stride_x;
        void *y;
        int64_t ldy, stride_y, batch;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, 2, 3, x, 3, 6, y, 2, 6, 1, "dtype is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 0, 2, 3, x, 3, 6, y, 2, 6, 1,
         "layout is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, -1, 3, x, 3, 6, y, 2, 6, 1, "m is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, 2, -3, x, 3, 6, y, 2, 6, 1, "n is -3"},
        {SUBWAVE_STATUS_INVALID_STRIDE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 2, 6, y, 2, 6, 1,
         "ldx is 2"},
        {SUBWAVE_STATUS_INVALID_STRIDE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 3, 6, y, 1, 6, 1,
         "ldy is 1"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, INT64_MAX / 2, 6, y, 2, 6, 1,
         "ldx is"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 3, 6, y, 2, 6, -1,
         "batch is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 3, INT64_MAX / 8, y, 2, 6, 3,
         "stride_x is"},
        {SUBWAVE_STATUS_INVALID_STRIDE, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 3, 6, y, 2, 5, 2,
         "stride_y is 5: the matrices of y, of 6 elements each, would overlap"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 3, NULL, 3, 6, y, 2, 6, 1, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_C64, 1, 2, 3, x, 3, 6, (char *)y + 4, 2, 6,
         1, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 3, x, 3, 6, x, 2, 6, 1,
         "y is x: in place"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 2, x, 3, 6, x, 2, 6, 1,
         "y is x: in place"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 2, x, 2, 8, x, 2, 6, 2,
         "y is x: in place"},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_transpose_strided_batched(
            context, (subwave_dtype)cases[c].dtype, (subwave_layout)cases[c].layout, cases[c].m,
            cases[c].n, cases[c].x, cases[c].ldx, cases[c].stride_x, cases[c].y, cases[c].ldy,
            cases[c].stride_y, cases[c].batch);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
    }
    assert_int_equal(
        subwave_transpose(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR, 2, 3, x, 3, y, 2),
        SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(subwave_transpose(context, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR, 2, 3,
                                       NULL, 3, y, 2),
                     SUBWAVE_STATUS_INVALID_POINTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("transpose", tests, COUNT(tests));
}
