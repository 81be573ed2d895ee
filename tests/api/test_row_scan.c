/* SPDX-License-Identifier: MIT
 * test_row_scan.c: subwave_row_scan against the reference, row by row, bit for bit: every dtype and op,
 * both kinds, lengths around packs, runs, waves, rows of packs and tiles, numbers of rows around those
 * that share a wave, rows that lie apart, any alignment, in place.
 */
#include "arrays.h"

#include "../reference_array.h"

enum { BLOCK = 256, ROWS = 4, RUN = 32, GROUP = 256 }; /* of the order, docs/arrays.md */

typedef struct shape {
    int64_t rows, length, ldx, ldy;
    subwave_scan_kind scan;
    bool aligned, in_place;
} shape;

static int64_t extent(int64_t rows, int64_t length, int64_t ld)
{
    return rows > 0 && length > 0 ? (rows - 1) * ld + length : 0;
}

static void check(arrays *a, subwave_dtype dtype, subwave_op op, shape s)
{
    if (s.in_place)
        s.ldy = s.ldx;
    const size_t size = (size_t)reference_width(dtype) / 8,
                 bytes = (size_t)extent(s.rows, s.length, s.ldy) * size;
    const int64_t n = extent(s.rows, s.length, s.ldx);
    arrays_fill(a, dtype, op, n);
    unsigned char *const found = malloc(bytes + 1), *const right = malloc(bytes + 1);
    assert_true(found && right);
    if (s.in_place)
        memcpy(right, a->values, bytes);
    else
        harness_fill(HARNESS_A5, right, bytes);
    guarded_reset(&a->x, s.aligned ? 16 : size, a->values, (size_t)n * size);
    guarded_reset(&a->y, s.aligned ? 16 : size, right, bytes);
    for (int64_t r = 0; n > 0 && r < s.rows; ++r)
        reference_array_scan(dtype, op, s.scan, a->values + (size_t)(r * s.ldx) * size, s.length,
                             NULL, right + (size_t)(r * s.ldy) * size);
    guarded *const y = s.in_place ? &a->x : &a->y;
    assert_ok(a->context, subwave_row_scan(a->context, dtype, op, s.scan, s.rows, s.length,
                                           n ? guarded_pointer(&a->x) : NULL, s.ldx,
                                           n ? guarded_pointer(y) : NULL, s.ldy));
    assert_int_equal(guarded_read(y, found), 0);
    assert_int_equal(guarded_changes(s.in_place ? &a->y : &a->x), 0);
    /* What lies between rows is as it was. */
    for (int64_t i = 0; i < (int64_t)(bytes / size); ++i) {
        const uint64_t is = reference_load(dtype, found, i),
                       wanted = reference_load(dtype, right, i);
        if (i % s.ldy < s.length ? !reference_same(dtype, is, wanted) : is != wanted)
            fail_msg("%s scan by %s of %s%s, row %lld of %lld, length %lld, ldx %lld, ldy %lld: "
                     "y[%lld] is %.17g, not %.17g",
                     subwave_scan_kind_name(s.scan), subwave_op_name(op), subwave_dtype_name(dtype),
                     s.in_place ? " in place" : "", (long long)(i / s.ldy), (long long)s.rows,
                     (long long)s.length, (long long)s.ldx, (long long)s.ldy,
                     (long long)(i % s.ldy), reference_decode(dtype, is),
                     reference_decode(dtype, wanted));
    }
    free(right);
    free(found);
}

/* So many packs and elements, and so many rows. */
static const struct {
    int packs, elements, rows;
} shapes[] = {
    {0, 0, 3},        {0, 1, 1030},      {1, 0, 2100}, {1, 1, 777},  {0, 7, 70},
    {2, 0, 515},      {3, 1, 300},       {5, 0, 131},  {15, 1, 67},  {16, 0, 65},
    {17, 15, 33},     {RUN - 1, 1, 17},  {RUN, 1, 9},  {64, 1, 5},   {65, 0, 5},
    {100, 1, 6},      {128, 0, 3},       {129, 1, 3},  {200, 11, 2}, {BLOCK - 1, 1, 3},
    {BLOCK, 1, 3},    {BLOCK + 1, 0, 2}, {700, 1, 2},  {1024, 1, 2}, {1025, 0, 3},
    {3 * 1024, 1, 2},
};

static void check_shapes(arrays *a, subwave_dtype dtype, subwave_op op, size_t first, size_t step)
{
    const int width = reference_width(dtype), pack = width < 64 ? 128 / width : 4;
    for (size_t i = first; i < COUNT(shapes); i += step) {
        const int64_t length = (int64_t)shapes[i].packs * pack + shapes[i].elements % pack,
                      ld = length > 0 ? length : 1;
        const int64_t apart[] = {0, 1, pack, 0, 3};
        check(a, dtype, op,
              (shape){shapes[i].rows, length, ld + apart[i % COUNT(apart)],
                      ld + apart[i / 2 % COUNT(apart)],
                      (i + i / step) % 2 ? SUBWAVE_SCAN_INCLUSIVE : SUBWAVE_SCAN_EXCLUSIVE,
                      i % 3 > 0, i % 4 == 1});
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
                const size_t step = harness_is_full() ? 1 : 4;
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
                  (shape){length < 40 ? 300 : 7, length, length + 1 + length % 2, length + 1,
                          length % 5 ? SUBWAVE_SCAN_INCLUSIVE : SUBWAVE_SCAN_EXCLUSIVE,
                          length % 3 == 0, length % 7 == 0});
    }
    for (int64_t length = 0; length <= 40; ++length) {
        check(&a, SUBWAVE_DTYPE_BF16, SUBWAVE_OP_PLUS,
              (shape){50, length, 48, 40, SUBWAVE_SCAN_INCLUSIVE, length % 2, false});
        check(&a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
              (shape){50, length, 48, 48, SUBWAVE_SCAN_EXCLUSIVE, length % 2, length % 3 == 0});
        check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
              (shape){50, length, 42, 40, SUBWAVE_SCAN_INCLUSIVE, length % 2, length % 3 == 1});
    }
    arrays_destroy(&a);
}

/* So many rows of two to four rows of packs that each is a wave's; rows of several tiles, and so many of
 * these that there are several launches where limits are small; groups of tiles. */
static void test_many(void **state)
{
    arrays a = arrays_create(*state);
    subwave_device_properties device;
    assert_ok(a.context, subwave_context_info(a.context, &device));
    const int64_t many = 16 * (int64_t)device.compute_units + 1;
    for (int64_t packs = BLOCK + 1; packs <= 4 * BLOCK; packs += BLOCK - 1) {
        const int64_t length = 2 * packs - 1;
        check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
              (shape){many < 1000 ? many : 1000, length, length, length, SUBWAVE_SCAN_INCLUSIVE,
                      true, true});
    }
    const int64_t tile = 2 * 2 * ROWS * BLOCK; /* of f64 */
    check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
          (shape){300, tile + 2, tile + 2, tile + 2, SUBWAVE_SCAN_EXCLUSIVE, true, false});
    check(
        &a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
        (shape){3, 5 * tile + 3, 5 * tile + 3, 5 * tile + 4, SUBWAVE_SCAN_INCLUSIVE, false, true});
    check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
          (shape){2, (GROUP + 2) * tile + 1, (GROUP + 2) * tile + 2, (GROUP + 2) * tile + 1,
                  SUBWAVE_SCAN_INCLUSIVE, true, false});
    if (harness_is_full())
        check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS,
              (shape){2, 2 * (2 * GROUP + 3) * tile + 5, 2 * (2 * GROUP + 3) * tile + 8,
                      2 * (2 * GROUP + 3) * tile + 8, SUBWAVE_SCAN_EXCLUSIVE, true, true});
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
    unsigned char *const part = calloc(PART, 1), *x;
    assert_non_null(part);
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    memset(part, 1, LAST);
    assert_ok(context, subwave_copy(context, x, part, LAST));
    assert_ok(context, subwave_copy(context, x + n - LAST, part, LAST));
    /* Two rows far apart, then one row of all. */
    assert_ok(context, subwave_row_scan(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
                                        SUBWAVE_SCAN_EXCLUSIVE, 2, LAST, x, n - LAST, x, n - LAST));
    for (int r = 0; r < 2; ++r) {
        assert_ok(context, subwave_copy(context, part, x + r * (n - LAST), LAST));
        for (int i = 0; i < LAST; ++i)
            assert_int_equal(part[i], i);
    }
    assert_ok(context, subwave_row_scan(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM,
                                        SUBWAVE_SCAN_INCLUSIVE, 1, n, x, n, x, n));
    assert_ok(context, subwave_copy(context, part, x + n - PART, PART));
    for (int64_t i = 0; i < PART; ++i)
        assert_int_equal(part[i], LAST - 1);
    assert_ok(context, subwave_free(context, x));
    free(part);
}

/* NaN, infinities and zeros of both signs: two rows of three each. */
static void test_special(void **state)
{
    subwave_context *context = *state;
    const double nan = 0.0 / 0.0, infinity = 1 / 0.0;
    const struct {
        subwave_op op;
        subwave_scan_kind scan;
        double x[6], right[6];
    } cases[] = {
        {SUBWAVE_OP_PLUS,
         SUBWAVE_SCAN_INCLUSIVE,
         {1, infinity, -infinity, -0.0, -0.0, 0.0},
         {1, infinity, nan, -0.0, -0.0, 0.0}},
        {SUBWAVE_OP_PLUS,
         SUBWAVE_SCAN_EXCLUSIVE,
         {-0.0, -0.0, nan, infinity, 1, 2},
         {0.0, -0.0, -0.0, 0.0, infinity, infinity}},
        {SUBWAVE_OP_MINIMUM,
         SUBWAVE_SCAN_INCLUSIVE,
         {nan, 5, nan, 0.0, -0.0, 0.0},
         {nan, 5, 5, 0.0, -0.0, -0.0}},
        {SUBWAVE_OP_MAXIMUM,
         SUBWAVE_SCAN_EXCLUSIVE,
         {nan, -5, 1, -0.0, 0.0, 3},
         {-infinity, nan, -5, -infinity, -0.0, 0.0}},
        {SUBWAVE_OP_LOGICAL_OR,
         SUBWAVE_SCAN_INCLUSIVE,
         {-0.0, nan, 0, 0.0, -0.0, 0.0},
         {0, 1, 1, 0, 0, 0}},
        {SUBWAVE_OP_LOGICAL_AND,
         SUBWAVE_SCAN_EXCLUSIVE,
         {0.5, -0.0, 1, nan, infinity, 0},
         {1, 1, 0, 1, 1, 1}},
    };
    void *x;
    double y[6];
    assert_ok(context, subwave_malloc(context, &x, sizeof y));
    for (size_t c = 0; c < COUNT(cases); ++c) {
        assert_ok(context, subwave_copy(context, x, cases[c].x, sizeof y));
        assert_ok(context, subwave_row_scan(context, SUBWAVE_DTYPE_F64, cases[c].op, cases[c].scan,
                                            2, 3, x, 3, x, 3));
        assert_ok(context, subwave_copy(context, y, x, sizeof y));
        for (int i = 0; i < 6; ++i) {
            uint64_t found, right;
            memcpy(&found, &y[i], sizeof found);
            memcpy(&right, &cases[c].right[i], sizeof right);
            if (!reference_same(SUBWAVE_DTYPE_F64, found, right))
                fail_msg("case %zu: y[%d] is %g, not %g", c, i, y[i], cases[c].right[i]);
        }
    }
    assert_ok(context, subwave_free(context, x));
}

/* What the comment promises of the workspace: none for short rows; and one that is too small is told,
 * and nothing written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { LENGTH = 5000, ROWS_OF_X = 3, ALL = ROWS_OF_X * LENGTH, TILES = 2 };
    enum { NEEDED = 4352 + ROWS_OF_X * 2 * (TILES + 1) * 8 };
    int64_t *const values = malloc(ALL * sizeof *values), *const found =
                                                              malloc(sizeof *found * ALL);
    assert_true(values && found);
    for (int i = 0; i < ALL; ++i)
        values[i] = 1 + i / LENGTH;
    void *x, *workspace;
    assert_ok(context, subwave_malloc(context, &x, ALL * sizeof *values));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    for (int tries = 0; tries < 3; ++tries) { /* too small; enough; again, in what is left */
        const bool enough = tries > 0;
        assert_ok(context, subwave_copy(context, x, values, ALL * sizeof *values));
        assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - !enough));
        assert_int_equal(subwave_row_scan(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS,
                                          SUBWAVE_SCAN_INCLUSIVE, ROWS_OF_X, LENGTH, x, LENGTH, x,
                                          LENGTH),
                         enough ? SUBWAVE_STATUS_SUCCESS : SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
        assert_ok(context, subwave_copy(context, found, x, ALL * sizeof *found));
        for (int i = 0; i < ALL; ++i)
            assert_true(found[i] == values[i] * (enough ? i % LENGTH + 1 : 1));
    }
    assert_ok(context, subwave_copy(context, x, values, ALL * sizeof *values));
    assert_ok(context, subwave_set_workspace(context, workspace, 0));
    assert_ok(context,
              subwave_row_scan(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                               ROWS_OF_X, 512, x, LENGTH, x, LENGTH));
    assert_ok(context, subwave_copy(context, found, x, ALL * sizeof *found));
    assert_true(found[2 * LENGTH + 511] == 3 * 511);
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, x));
    free(found);
    free(values);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[4] = {1, 2}, y[4] = {-1, -1, -1, -1};
    const struct {
        subwave_status status;
        int dtype, op, scan;
        int64_t rows, length, ldx, ldy;
        const void *x;
        void *y;
        const char *text;
    } cases[] = {
#define F64 SUBWAVE_DTYPE_F64
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 0, 1, 2, 2, 2, 2, x, y, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, GREATEST(SUBWAVE_OP_LIST) + 1, 1, 2, 2, 2, 2, x, y,
         "op is"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, 1, 2, 2, 2, 2, x, y, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, 1, 1, 2, 2, 2, 2, x, y, "c32"},
        {SUBWAVE_STATUS_UNSUPPORTED, F64, SUBWAVE_OP_BIT_OR, 1, 2, 2, 2, 2, x, y, "bit_or"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 1, 0, 2, 2, 2, 2, x, y, "scan is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 1, GREATEST(SUBWAVE_SCAN_LIST) + 1, 2, 2, 2, 2, x, y,
         "scan is"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, 1, -1, 2, 2, 2, x, y, "rows is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, 1, 2, -1, 2, 2, x, y, "length is -1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, 1, 1, 2, 2, 1, 2, x, y, "ldx is 1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, 1, 1, 2, 0, 0, 2, x, y, "ldx is 0"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, 1, 1, 2, 2, 2, 1, x, y, "ldy is 1"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, 1, 1, 2, 0, 2, 0, x, y, "ldy is 0"},
        {SUBWAVE_STATUS_INVALID_STRIDE, F64, 1, 1, 2, 1, 1, 2, y, y, "ldy is 2"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, 1, INT64_MAX / 8, 2, 2, 2, x, y, "ldx is 2"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, 1, 2, 2, 2, INT64_MAX / 8, x, y, "ldy is"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, 1, 2, 2, 2, 2, NULL, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, 1, 2, 2, 2, 2, (char *)x + 1, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, 1, 2, 2, 2, 2, x, NULL, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, 1, 1, 1, 1, 1, x, (char *)y + 4, "y "},
        {SUBWAVE_STATUS_SUCCESS, F64, 1, 1, 0, 2, 2, 2, NULL, NULL, ""},
        {SUBWAVE_STATUS_SUCCESS, F64, 1, 1, 2, 0, 1, 1, NULL, NULL, ""},
#undef F64
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status =
            subwave_row_scan(context, (subwave_dtype)cases[c].dtype, (subwave_op)cases[c].op,
                             (subwave_scan_kind)cases[c].scan, cases[c].rows, cases[c].length,
                             cases[c].x, cases[c].ldx, cases[c].y, cases[c].ldy);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        for (size_t i = 0; i < COUNT(y); ++i)
            assert_true(y[i] == -1);
    }
    assert_int_equal(subwave_row_scan(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
                                      SUBWAVE_SCAN_INCLUSIVE, 2, 2, x, 2, y, 2),
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
    return harness_run("row_scan", tests, COUNT(tests));
}
