/* SPDX-License-Identifier: MIT
 * test_row_reduce.c: subwave_row_reduce against the reference, row by row, bit for bit: every dtype and
 * op, lengths around packs, waves, rows of packs and tiles, numbers of rows around those that share
 * a wave, rows that lie apart, any alignment.
 */
#include "arrays.h"

#include "../reference_array.h"

enum { BLOCK = 256, ROWS = 4, LAUNCH = 1024 /* long rows at least of one */ };

typedef struct shape {
    int64_t rows, length, ldx;
    bool aligned; /* the first row */
} shape;

static void check(arrays *a, subwave_dtype dtype, subwave_op op, shape s)
{
    const size_t size = (size_t)reference_width(dtype) / 8;
    const int64_t n = s.rows > 0 ? (s.rows - 1) * s.ldx + s.length : 0;
    arrays_fill(a, dtype, op, n);
    guarded_reset(&a->x, s.aligned ? 16 : size, a->values, (size_t)n * size);
    unsigned char *const results = malloc((size_t)s.rows * size + 1);
    assert_non_null(results);
    harness_fill(HARNESS_A5, results, (size_t)s.rows * size);
    guarded_reset(&a->y, size, results, (size_t)s.rows * size);
    assert_ok(a->context, subwave_row_reduce(a->context, dtype, op, s.rows, s.length,
                                             s.length ? guarded_pointer(&a->x) : NULL, s.ldx,
                                             s.rows ? guarded_pointer(&a->y) : NULL));
    assert_int_equal(guarded_read(&a->y, results), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    for (int64_t r = 0; r < s.rows; ++r) {
        const uint64_t right = reference_array_reduce(
                           dtype, op, a->values + (size_t)(r * s.ldx) * size, s.length, NULL),
                       is = reference_load(dtype, results, r);
        if (!reference_same(dtype, is, right))
            fail_msg("%s of %s, row %lld of %lld, length %lld, ldx %lld: %.17g, not %.17g",
                     subwave_op_name(op), subwave_dtype_name(dtype), (long long)r,
                     (long long)s.rows, (long long)s.length, (long long)s.ldx,
                     reference_decode(dtype, is), reference_decode(dtype, right));
    }
    free(results);
}

/* So many packs and elements, and so many rows. */
static const struct {
    int packs, elements, rows;
} shapes[] = {
    {0, 0, 3},    {0, 1, 1030},      {1, 0, 2100},  {1, 1, 777},       {0, 7, 70},  {2, 0, 515},
    {3, 1, 300},  {5, 0, 131},       {15, 1, 67},   {16, 0, 65},       {17, 1, 33}, {31, 0, 17},
    {33, 1, 9},   {64, 1, 5},        {65, 0, 5},    {100, 1, 6},       {128, 0, 3}, {129, 1, 3},
    {200, 0, 2},  {BLOCK - 1, 1, 3}, {BLOCK, 1, 3}, {BLOCK + 1, 0, 2}, {700, 1, 2}, {1024, 1, 2},
    {1025, 0, 3}, {3 * 1024, 1, 2},
};

static void check_shapes(arrays *a, subwave_dtype dtype, subwave_op op, size_t first, size_t step)
{
    const int pack = 128 / reference_width(dtype);
    for (size_t i = first; i < COUNT(shapes); i += step) {
        const int64_t length = (int64_t)shapes[i].packs * pack + shapes[i].elements % pack;
        const int64_t apart[] = {0, 1, pack};
        shape s = {shapes[i].rows, length, length + apart[i % COUNT(apart)], i % 2};
        if (s.ldx == 0)
            s.ldx = 1;
        check(a, dtype, op, s);
    }
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    arrays a = arrays_create(*state);
    size_t turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_ops); ++o)
            if (reference_has_op(number_dtypes[d], all_ops[o])) {
                const size_t step = harness_is_full() ? 1 : 3;
                check_shapes(&a, number_dtypes[d], all_ops[o], turn++ % step, step);
            }
    arrays_destroy(&a);
}

/* Every length up to four packs of a wave's lanes; in full also some up to two rows of packs. */
static void test_lengths(void **state)
{
    arrays a = arrays_create(*state);
    const int64_t most = harness_is_full() ? 2 * BLOCK * 4 + 9 : 4 * 64 + 9;
    for (int64_t length = 0; length <= most; ++length) {
        if (length <= 4 * 64 + 9 || harness_takes(5, 5))
            check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS,
                  (shape){length < 40 ? 300 : 7, length, length + 1 + length % 2, length % 3 == 0});
    }
    for (int64_t length = 0; length <= 40; ++length)
        check(&a, SUBWAVE_DTYPE_BF16, SUBWAVE_OP_PLUS, (shape){50, length, 48, length % 2});
    arrays_destroy(&a);
}

/* So many rows of two to eight rows of packs that each is a wave's; so many longer ones that there are
 * several launches; tiles of more rows of packs. */
static void test_many(void **state)
{
    arrays a = arrays_create(*state);
    subwave_device_properties device;
    assert_ok(a.context, subwave_context_info(a.context, &device));
    const int64_t many = 16 * (int64_t)device.compute_units + 1;
    for (int64_t packs = BLOCK + 1; packs <= 2 * ROWS * BLOCK; packs += BLOCK - 1)
        check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
              (shape){many < 2500 ? many : 2500, 2 * packs + 1, 2 * packs + 1, true});
    check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
          (shape){LAUNCH + 3, 4 * ROWS * BLOCK + 2, 4 * ROWS * BLOCK + 2, true});
    if (harness_is_full())
        check(&a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
              (shape){2, (int64_t)16 * ROWS * BLOCK * 1024 + 77,
                      (int64_t)16 * ROWS * BLOCK * 1024 + 80, true});
    arrays_destroy(&a);
}

/* More elements than 31 bits count, in a row and before one. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 32, LAST = 77 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    const int64_t n = (int64_t)PART * PARTS + LAST;
    unsigned char *const part = calloc(PART, 1), *x, *y, results[2];
    assert_non_null(part);
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    assert_ok(context, subwave_malloc(context, (void **)&y, sizeof results));
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    memset(part, 3, LAST);
    assert_ok(context, subwave_copy(context, x + n - LAST, part, LAST));
    assert_ok(context,
              subwave_row_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, 1, n, x, n, y));
    assert_ok(context, subwave_copy(context, results, y, 1));
    assert_int_equal(results[0], 3 * LAST % 256);
    assert_ok(context, subwave_row_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, 2, LAST, x,
                                          n - LAST, y));
    assert_ok(context, subwave_copy(context, results, y, 2));
    assert_int_equal(results[0], 0);
    assert_int_equal(results[1], 3 * LAST % 256);
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
    free(part);
}

/* NaN, infinities and zeros of both signs; and the ends of a type's range. */
static void test_special(void **state)
{
    subwave_context *context = *state;
    const double nan = 0.0 / 0.0, infinity = 1 / 0.0;
    const struct {
        subwave_op op;
        double x[6], right[2]; /* two rows of three */
    } cases[] = {
        {SUBWAVE_OP_PLUS, {infinity, 1, 2, infinity, -infinity, 2}, {infinity, nan}},
        {SUBWAVE_OP_PLUS, {-0.0, -0.0, -0.0, -0.0, 0.0, -0.0}, {-0.0, 0.0}},
        {SUBWAVE_OP_MINIMUM, {nan, 5, nan, 0.0, -0.0, 0.0}, {5, -0.0}},
        {SUBWAVE_OP_MAXIMUM, {nan, -5, nan, -0.0, 0.0, -0.0}, {-5, 0.0}},
        {SUBWAVE_OP_MAXIMUM, {nan, nan, nan, -infinity, -infinity, nan}, {nan, -infinity}},
        {SUBWAVE_OP_LOGICAL_OR, {-0.0, 0.0, nan, -0.0, 0.0, -0.0}, {1, 0}},
        {SUBWAVE_OP_LOGICAL_AND, {nan, infinity, 0.5, 1, -0.0, nan}, {1, 0}},
    };
    double *x, *y, results[2];
    assert_ok(context, subwave_malloc(context, (void **)&x, sizeof cases[0].x));
    assert_ok(context, subwave_malloc(context, (void **)&y, sizeof results));
    for (size_t c = 0; c < COUNT(cases); ++c) {
        assert_ok(context, subwave_copy(context, x, cases[c].x, sizeof cases[c].x));
        assert_ok(context,
                  subwave_row_reduce(context, SUBWAVE_DTYPE_F64, cases[c].op, 2, 3, x, 3, y));
        assert_ok(context, subwave_copy(context, results, y, sizeof results));
        for (int r = 0; r < 2; ++r) {
            uint64_t found, right;
            memcpy(&found, &results[r], sizeof found);
            memcpy(&right, &cases[c].right[r], sizeof right);
            if (!reference_same(SUBWAVE_DTYPE_F64, found, right))
                fail_msg("case %zu, row %d: %g, not %g", c, r, results[r], cases[c].right[r]);
        }
    }
    assert_ok(context, subwave_free(context, x));
    assert_ok(context, subwave_free(context, y));
}

/* What the comment promises of the workspace: none for rows of a tile; and one that is too small is
 * told, and nothing written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { LENGTH = 5000, ROWS_OF_X = 3, NEEDED = 4352 + ROWS_OF_X * 3 * 8 };
    int64_t *values = malloc(ROWS_OF_X * LENGTH * sizeof *values), results[ROWS_OF_X];
    assert_non_null(values);
    for (int i = 0; i < ROWS_OF_X * LENGTH; ++i)
        values[i] = i / LENGTH;
    void *x, *y, *workspace;
    assert_ok(context, subwave_malloc(context, &x, ROWS_OF_X * LENGTH * sizeof *values));
    assert_ok(context, subwave_copy(context, x, values, ROWS_OF_X * LENGTH * sizeof *values));
    memset(results, 0xff, sizeof results);
    assert_ok(context, subwave_malloc(context, &y, sizeof results));
    assert_ok(context, subwave_copy(context, y, results, sizeof results));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
    assert_int_equal(subwave_row_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS, ROWS_OF_X,
                                        LENGTH, x, LENGTH, y),
                     SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_ok(context, subwave_copy(context, results, y, sizeof results));
    for (int r = 0; r < ROWS_OF_X; ++r)
        assert_true(results[r] == -1);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    for (int i = 0; i < 2; ++i) { /* the counters are as they were */
        assert_ok(context, subwave_row_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS,
                                              ROWS_OF_X, LENGTH, x, LENGTH, y));
        assert_ok(context, subwave_copy(context, results, y, sizeof results));
        for (int r = 0; r < ROWS_OF_X; ++r)
            assert_true(results[r] == (int64_t)r * LENGTH);
    }
    assert_ok(context, subwave_set_workspace(context, workspace, 0));
    assert_ok(context, subwave_row_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS, ROWS_OF_X,
                                          2048, x, LENGTH, y));
    assert_ok(context, subwave_copy(context, results, y, sizeof results));
    assert_true(results[2] == 2 * 2048);
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
    free(values);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[4] = {1, 2}, y[2] = {-1, -1};
    const struct {
        subwave_status status;
        int dtype, op;
        int64_t rows, length, ldx;
        const void *x;
        void *y;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 0, 2, 2, 2, x, y, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, GREATEST(SUBWAVE_OP_LIST) + 1, 2, 2, 2, x,
         y, "op is"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, 2, 2, 2, x, y, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, 1, 2, 2, 2, x, y, "c32"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F64, SUBWAVE_OP_BIT_OR, 2, 2, 2, x, y, "bit_or"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, -1, 2, 2, x, y, "rows is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, 2, -1, 2, x, y, "length is -1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, SUBWAVE_DTYPE_F64, 1, 2, 2, 1, x, y, "ldx is 1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, SUBWAVE_DTYPE_F64, 1, 2, 0, 0, x, y, "ldx is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, INT64_MAX / 8, 2, 2, x, y, "ldx is 2"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 2, 2, NULL, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 2, 2, (char *)x + 1, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 2, 2, x, NULL, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, 2, 0, 1, NULL, (char *)y + 4, "y "},
        {SUBWAVE_STATUS_SUCCESS, SUBWAVE_DTYPE_F64, 1, 0, 2, 2, NULL, NULL, ""},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_row_reduce(
            context, (subwave_dtype)cases[c].dtype, (subwave_op)cases[c].op, cases[c].rows,
            cases[c].length, cases[c].x, cases[c].ldx, cases[c].y);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(y[0] == -1 && y[1] == -1);
    }
    assert_int_equal(subwave_row_reduce(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 2, 2, x, 2, y),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),       cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_large),
        cmocka_unit_test(test_special),   cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("row_reduce", tests, COUNT(tests));
}
