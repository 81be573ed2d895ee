/* SPDX-License-Identifier: MIT
 * test_row_minmax_index.c: subwave_row_minmax_index against a plain loop over each row: every type,
 * lengths around packs, waves, rows of packs and tiles, numbers of rows around those that share a
 * wave, values that repeat, NaN, infinities, zeros of both signs, the ends of the types' ranges.
 */
#include "arrays.h"

#include "../reference_array.h"

enum { BLOCK = 256, ROWS = 4, LAUNCH = 1024 /* long rows at least of one */ };
static const subwave_op ops[] = {SUBWAVE_OP_MINIMUM, SUBWAVE_OP_MAXIMUM};

typedef struct shape {
    int64_t rows, length, ldx;
    bool aligned; /* the first row */
} shape;

static int64_t elements_of(shape s) { return s.rows > 0 ? (s.rows - 1) * s.ldx + s.length : 0; }

static void check(arrays *a, subwave_dtype dtype, subwave_op op, shape s)
{
    const size_t size = (size_t)reference_width(dtype) / 8, rows = (size_t)s.rows;
    guarded_reset(&a->x, s.aligned ? 16 : size, a->values, (size_t)elements_of(s) * size);
    unsigned char *const values = malloc(rows * size + 1);
    int64_t *const indices = malloc((rows + 1) * sizeof *indices);
    assert_true(values && indices);
    harness_fill(HARNESS_A5, values, rows * size);
    harness_fill(HARNESS_A5, (unsigned char *)indices, rows * sizeof *indices);
    guarded_reset(&a->y, size, values, rows * size);
    guarded_reset(&a->result, sizeof *indices, indices, rows * sizeof *indices);
    assert_ok(a->context, subwave_row_minmax_index(a->context, dtype, op, s.rows, s.length,
                                                   s.length ? guarded_pointer(&a->x) : NULL, s.ldx,
                                                   s.rows ? guarded_pointer(&a->y) : NULL,
                                                   s.rows ? guarded_pointer(&a->result) : NULL));
    assert_int_equal(guarded_read(&a->y, values), 0);
    assert_int_equal(guarded_read(&a->result, (unsigned char *)indices), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    for (int64_t r = 0; r < s.rows; ++r) {
        const unsigned char *const row = a->values + (size_t)(r * s.ldx) * size;
        uint64_t right;
        const int64_t index = reference_array_minmax_index(dtype, op, row, s.length, &right);
        const uint64_t is = reference_load(dtype, values, r);
        if (index >= 0)
            right = reference_load(dtype, row, index); /* of a NaN, all bits */
        if (indices[r] != index || is != right)
            fail_msg("%s of %s, row %lld of %lld, length %lld, ldx %lld: %.17g at %lld, not %.17g "
                     "at %lld",
                     subwave_op_name(op), subwave_dtype_name(dtype), (long long)r,
                     (long long)s.rows, (long long)s.length, (long long)s.ldx,
                     reference_decode(dtype, is), (long long)indices[r],
                     reference_decode(dtype, right), (long long)index);
    }
    free(values);
    free(indices);
}

/* What elements a row has: any; few values, which repeat; the worst one alone; that, and one that is
 * better; NaN and few numbers; NaN alone; NaN and the worst number; zeros. */
enum { ANY, FEW, WORST, ONE, NANS, NAN_ALONE, NAN_OR_WORST, ZEROS, KINDS };
static uint64_t element_of(arrays *a, subwave_dtype dtype, subwave_op op, int kind)
{
    const uint64_t bits = harness_random_bits(&a->random), worst = reference_identity(dtype, op);
    const double infinity = bits & 1 << 10 ? 1 / 0.0 : -1 / 0.0;
    const uint64_t nan = reference_encode(dtype, infinity) | 1 | (bits >> 20 & 63);
    const bool is_nan =
        reference_is_floating(dtype) && (kind == NAN_ALONE || (kind == NANS && bits % 64 > 0) ||
                                         (kind == NAN_OR_WORST && bits % 2));
    return is_nan          ? nan
           : kind == FEW   ? reference_encode(dtype, (double)(bits % 5))
           : kind == NANS  ? reference_encode(dtype, (double)(bits % 3))
           : kind == ZEROS ? reference_encode(dtype, bits % 2 ? 0.0 : -0.0)
                           : worst;
}

/* The kinds take turns; or all rows are of one. */
static void fill(arrays *a, subwave_dtype dtype, subwave_op op, shape s, int only)
{
    arrays_fill(a, dtype, SUBWAVE_OP_PLUS, elements_of(s));
    const int first = (int)(harness_random_bits(&a->random) % KINDS);
    for (int64_t r = 0; r < s.rows; ++r) {
        const int kind = only < KINDS ? only : (int)((first + r) % KINDS);
        for (int64_t i = 0; i < s.length && kind != ANY; ++i)
            reference_store(dtype, a->values, r * s.ldx + i, element_of(a, dtype, op, kind));
        if (kind == ONE && s.length > 0)
            reference_store(dtype, a->values,
                            r * s.ldx +
                                (int64_t)(harness_random_bits(&a->random) % (uint64_t)s.length),
                            reference_encode(dtype, 7));
    }
}

static void fill_and_check(arrays *a, subwave_dtype dtype, subwave_op op, shape s)
{
    fill(a, dtype, op, s, KINDS);
    check(a, dtype, op, s);
}

/* So many packs and elements, and so many rows. */
static const struct {
    int packs, elements, rows;
} shapes[] = {
    {0, 0, 3},    {0, 1, 1030},      {1, 0, 2100},  {1, 1, 777},       {0, 7, 70},  {2, 0, 515},
    {3, 1, 300},  {5, 0, 131},       {15, 1, 67},   {16, 0, 65},       {17, 1, 33}, {31, 0, 17},
    {33, 1, 9},   {64, 1, 9},        {65, 0, 9},    {100, 1, 9},       {128, 0, 9}, {129, 1, 9},
    {200, 0, 9},  {BLOCK - 1, 1, 9}, {BLOCK, 1, 9}, {BLOCK + 1, 0, 9}, {700, 1, 5}, {1024, 1, 5},
    {1025, 0, 9}, {3 * 1024, 1, 5},
};

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    arrays a = arrays_create(*state);
    size_t turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t o = 0; o < COUNT(ops); ++o) {
            const size_t step = harness_is_full() ? 1 : 3;
            const int pack = 128 / reference_width(number_dtypes[d]);
            for (size_t i = turn++ % step; i < COUNT(shapes); i += step) {
                const int64_t length = (int64_t)shapes[i].packs * pack + shapes[i].elements % pack;
                const int64_t apart[] = {0, 1, pack};
                shape s = {shapes[i].rows, length, length + apart[i % COUNT(apart)], i % 2};
                if (s.ldx == 0)
                    s.ldx = 1;
                fill_and_check(&a, number_dtypes[d], ops[o], s);
            }
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
            fill_and_check(
                &a, SUBWAVE_DTYPE_F32, ops[length % 2],
                (shape){length < 40 ? 300 : 9, length, length + 1 + length % 2, length % 3 == 0});
    }
    for (int64_t length = 0; length <= 40; ++length)
        fill_and_check(&a, SUBWAVE_DTYPE_BF16, ops[length % 2],
                       (shape){50, length, 48, length / 2 % 2});
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
        fill_and_check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MINIMUM,
                       (shape){many < 2500 ? many : 2500, 2 * packs + 1, 2 * packs + 1, true});
    const shape several = {LAUNCH + 3, 4 * ROWS * BLOCK + 2, 4 * ROWS * BLOCK + 2, true};
    fill_and_check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MAXIMUM, several);
    if (harness_is_full()) {
        const shape large = {2, (int64_t)16 * ROWS * BLOCK * 1024 + 77,
                             (int64_t)16 * ROWS * BLOCK * 1024 + 80, true};
        for (int kind = FEW; kind <= ONE; ++kind) {
            fill(&a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, large, kind);
            check(&a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, large);
        }
    }
    arrays_destroy(&a);
}

/* The best element alone, at each place of a row that fills a tile, or nearly. */
static void test_places(void **state)
{
    arrays a = arrays_create(*state);
    const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I8, SUBWAVE_DTYPE_U16, SUBWAVE_DTYPE_I32,
                                    SUBWAVE_DTYPE_U64};
    for (size_t d = 0; d < COUNT(dtypes); ++d) {
        const int pack = 128 / reference_width(dtypes[d]);
        const int64_t length = 4 * BLOCK * pack + pack - 1;
        const shape s = {(length - 1) / 61 + 1, length, length, true};
        fill(&a, dtypes[d], SUBWAVE_OP_MINIMUM, s, WORST);
        for (int64_t r = 0; r < s.rows; ++r)
            reference_store(dtypes[d], a.values, r * s.ldx + (r + 1 < s.rows ? r * 61 : length - 1),
                            1);
        check(&a, dtypes[d], SUBWAVE_OP_MINIMUM, s);
    }
    arrays_destroy(&a);
}

/* More elements than 31 bits count, in a row and before one. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 33, LAST = 77 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    const int64_t n = (int64_t)PART * PARTS + LAST;
    unsigned char *const part = calloc(PART, 1), *x, values[2];
    int64_t *y, found[3];
    assert_non_null(part);
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    assert_ok(context, subwave_malloc(context, (void **)&y, sizeof found));
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    memset(part, 3, LAST);
    part[LAST - 2] = 5;
    assert_ok(context, subwave_copy(context, x + n - LAST, part, LAST));
    assert_ok(context, subwave_row_minmax_index(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, 1, n,
                                                x, n, y + 2, y));
    assert_ok(context, subwave_copy(context, found, y, sizeof found));
    assert_true(found[0] == n - 2);
    assert_ok(context, subwave_copy(context, values, y + 2, 1));
    assert_int_equal(values[0], 5);
    assert_ok(context, subwave_row_minmax_index(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, 2,
                                                LAST, x, n - LAST, y + 2, y));
    assert_ok(context, subwave_copy(context, found, y, sizeof found));
    assert_true(found[0] == 0 && found[1] == LAST - 2);
    assert_ok(context, subwave_copy(context, values, y + 2, 2));
    assert_true(values[0] == 0 && values[1] == 5);
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
    free(part);
}

/* What the comment promises of the workspace: none for rows of a tile; and one that is too small is
 * told, and nothing written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { LENGTH = 5000, ROWS_OF_X = 3, NEEDED = 4352 + ROWS_OF_X * 3 * 16 };
    int64_t *values = malloc(ROWS_OF_X * LENGTH * sizeof *values), results[2 * ROWS_OF_X];
    assert_non_null(values);
    for (int i = 0; i < ROWS_OF_X * LENGTH; ++i)
        values[i] = i % LENGTH == 2000 + i / LENGTH ? -i : i;
    int64_t *x, *y;
    void *workspace;
    assert_ok(context, subwave_malloc(context, (void **)&x, ROWS_OF_X * LENGTH * sizeof *values));
    assert_ok(context, subwave_copy(context, x, values, ROWS_OF_X * LENGTH * sizeof *values));
    memset(results, 0xff, sizeof results);
    assert_ok(context, subwave_malloc(context, (void **)&y, sizeof results));
    assert_ok(context, subwave_copy(context, y, results, sizeof results));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
#define CALL(length) \
    subwave_row_minmax_index(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_MINIMUM, ROWS_OF_X, length, x, \
                             LENGTH, y + ROWS_OF_X, y)
    assert_int_equal(CALL(LENGTH), SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_ok(context, subwave_copy(context, results, y, sizeof results));
    for (int r = 0; r < 2 * ROWS_OF_X; ++r)
        assert_true(results[r] == -1);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    for (int i = 0; i < 3; ++i) { /* the counters are as they were */
        if (i == 2)
            assert_ok(context, subwave_set_workspace(context, workspace, 0));
        assert_ok(context, CALL(i == 2 ? 2048 : LENGTH));
        assert_ok(context, subwave_copy(context, results, y, sizeof results));
        for (int r = 0; r < ROWS_OF_X; ++r)
            assert_true(results[r] == 2000 + r &&
                        results[ROWS_OF_X + r] == -(r * LENGTH + 2000 + r));
    }
#undef CALL
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
    free(values);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    enum { F64 = SUBWAVE_DTYPE_F64, LEAST = SUBWAVE_OP_MINIMUM };
    double x[4] = {1, 2}, y[2] = {-1, -1};
    int64_t at[2] = {-7, -7};
    const struct {
        subwave_status status;
        int dtype, op;
        int64_t rows, length, ldx;
        const void *x;
        void *values, *indices;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 0, 2, 2, 2, x, y, at, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, GREATEST(SUBWAVE_OP_LIST) + 1, 2, 2, 2, x, y, at,
         "op is"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, LEAST, 2, 2, 2, x, y, at, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, LEAST, 2, 2, 2, x, y, at, "c32"},
        {SUBWAVE_STATUS_UNSUPPORTED, F64, SUBWAVE_OP_PLUS, 2, 2, 2, x, y, at,
         "op is plus; row_minmax_index takes minimum and maximum"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, LEAST, -1, 2, 2, x, y, at, "rows is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, LEAST, 2, -1, 2, x, y, at, "length is -1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, LEAST, 2, 2, 1, x, y, at, "ldx is 1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, LEAST, 2, 0, 0, x, y, at, "ldx is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, LEAST, INT64_MAX / 8, 2, 2, x, y, at, "ldx is 2"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 2, 2, NULL, y, at, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 2, 2, (char *)x + 1, y, at, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 2, 2, x, NULL, at, "values "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 0, 1, NULL, (char *)y + 4, at, "values "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 2, 2, x, y, NULL, "indices "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, LEAST, 2, 0, 1, NULL, y, (char *)at + 4, "indices "},
        {SUBWAVE_STATUS_SUCCESS, F64, LEAST, 0, 2, 2, NULL, NULL, NULL, ""},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_row_minmax_index(
            context, (subwave_dtype)cases[c].dtype, (subwave_op)cases[c].op, cases[c].rows,
            cases[c].length, cases[c].x, cases[c].ldx, cases[c].values, cases[c].indices);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(y[0] == -1 && y[1] == -1 && at[0] == -7 && at[1] == -7);
    }
    assert_int_equal(
        subwave_row_minmax_index(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MINIMUM, 2, 2, x, 2, y, at),
        SUBWAVE_STATUS_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),       cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_large),     cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("row_minmax_index", tests, COUNT(tests));
}
