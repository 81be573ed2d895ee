/* SPDX-License-Identifier: MIT
 * test_scan.c: subwave_scan against the reference, bit for bit: every dtype and op, both kinds, sizes
 * around packs, runs, rows and tiles, any alignment, in place.
 */
#include "arrays.h"

#include "../reference_array.h"

#include <string.h>

enum { BLOCK = 256, ROWS = 4, RUN = 32, GROUP = 256 }; /* of the order, docs/arrays.md */

/* --- calls ----------------------------------------------------------------------------------- */

typedef struct way {
    subwave_scan_kind scan;
    bool has_init, x_aligned, y_aligned, in_place;
} way;

static const way ways[] = {
    {SUBWAVE_SCAN_INCLUSIVE, false, true, true, false},
    {SUBWAVE_SCAN_EXCLUSIVE, true, true, true, true},
    {SUBWAVE_SCAN_INCLUSIVE, true, false, true, false},
    {SUBWAVE_SCAN_EXCLUSIVE, false, true, false, false},
    {SUBWAVE_SCAN_INCLUSIVE, true, false, false, true},
};

static void check(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, way w)
{
    const size_t size = (size_t)reference_width(dtype) / 8, bytes = (size_t)n * size;
    arrays_fill(a, dtype, op, n);
    unsigned char *right = malloc(bytes + 1), *found = malloc(bytes + 1);
    assert_true(right && found);
    uint64_t init = 0;
    reference_store(dtype, &init, 0, reference_encode(dtype, 3));
    reference_array_scan(dtype, op, w.scan, a->values, n, w.has_init ? &init : NULL, right);
    memset(found, 0xa5, bytes);
    guarded_reset(&a->x, w.x_aligned ? 16 : size, a->values, bytes);
    guarded_reset(&a->y, w.y_aligned ? 16 : size, found, bytes);
    guarded *const y = w.in_place ? &a->x : &a->y;
    assert_ok(a->context, subwave_scan(a->context, dtype, op, w.scan, all_orders[n % 2], n,
                                       w.has_init ? &init : NULL, n ? guarded_pointer(&a->x) : NULL,
                                       n ? guarded_pointer(y) : NULL));
    assert_int_equal(guarded_read(y, found), 0);
    assert_int_equal(guarded_changes(w.in_place ? &a->y : &a->x), 0);
    for (int64_t i = 0; i < n; ++i)
        if (!reference_same(dtype, reference_load(dtype, found, i),
                            reference_load(dtype, right, i)))
            fail_msg("%s scan by %s of %s, n = %lld, way %d: y[%lld] is %.17g, not %.17g",
                     subwave_scan_kind_name(w.scan), subwave_op_name(op), subwave_dtype_name(dtype),
                     (long long)n, (int)(w.x_aligned + 2 * w.y_aligned + 4 * w.in_place),
                     (long long)i, reference_decode(dtype, reference_load(dtype, found, i)),
                     reference_decode(dtype, reference_load(dtype, right, i)));
    free(right);
    free(found);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* In packs, and elements more: around packs, runs, rows and tiles. */
static const array_size sizes[] = {{0, 0},
                                   {0, 1},
                                   {1, 0},
                                   {1, 1},
                                   {RUN - 1, 1},
                                   {RUN + 1, 0},
                                   {BLOCK, 0},
                                   {BLOCK + RUN, 1},
                                   {ROWS * BLOCK - 1, 1},
                                   {ROWS * BLOCK, 0},
                                   {ROWS * BLOCK, 1},
                                   {2 * ROWS * BLOCK - 1, 1},
                                   {2 * ROWS * BLOCK, 0},
                                   {2 * ROWS * BLOCK, 1},
                                   {2 * ROWS * BLOCK + 3 * BLOCK, 1},
                                   {3 * ROWS * BLOCK + 2 * BLOCK + 77, 1}};

static void check_in_turn(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, unsigned turn)
{
    check(a, dtype, op, n, ways[(turn + turn / COUNT(ways)) % COUNT(ways)]);
}

static void test_all(void **state) { arrays_check_all(*state, sizes, COUNT(sizes), check_in_turn); }

/* Several groups of tiles. */
static void test_many_tiles(void **state)
{
    arrays a = arrays_create(*state);
    const int64_t packs = (int64_t)2 * ROWS * BLOCK * (2 * GROUP + 3) + 5;
    check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 2 * packs + 1, ways[0]);
    check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 4 * 2 * ROWS * BLOCK * (GROUP + 1), ways[1]);
    check(&a, SUBWAVE_DTYPE_I64, SUBWAVE_OP_LOGICAL_AND, 2 * 2 * ROWS * BLOCK * (GROUP + 1),
          ways[0]);
    if (harness_is_full()) {
        check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 4 * packs + 3, ways[2]);
        check(&a, SUBWAVE_DTYPE_I64, SUBWAVE_OP_MAXIMUM, 2 * packs, ways[3]);
        check(&a, SUBWAVE_DTYPE_F16, SUBWAVE_OP_MULTIPLIES, 8 * packs + 5, ways[4]);
        check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MULTIPLIES, 4 * packs + 1, ways[3]);
    }
    if (harness_is_full() && !harness_is_cpu(a.context) && !harness_is_emulated()) {
        /* So many that a GPU combines tiles ahead, as the CPU device does above. */
        const int64_t n = (int64_t)4 * 2 * ROWS * BLOCK * (4 * GROUP + 3);
        check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, n, ways[1]);
        check(&a, SUBWAVE_DTYPE_I32, SUBWAVE_OP_LOGICAL_AND, n + 5, ways[0]);
        check(&a, SUBWAVE_DTYPE_U32, SUBWAVE_OP_MINIMUM, n + 1, ways[2]);
    }
    arrays_destroy(&a);
}

/* More elements than 31 bits count, and more tiles than a launch takes: ones at a few places. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 32, LAST = 77 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    unsigned char *part = calloc(PART, 1), *x;
    assert_non_null(part);
    const int64_t n = (int64_t)PART * PARTS + LAST;
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    for (int64_t p = 0; p < PARTS; ++p) { /* in each part an element, and the last */
        part[p * 1000003 % PART] = 1;
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
        part[p * 1000003 % PART] = 0;
    }
    part[0] = 1;
    for (int64_t i = 0; i < LAST; ++i)
        assert_ok(context, subwave_copy(context, x + n - LAST + i, part, 1));
    assert_ok(context, subwave_scan(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
                                    SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_ORDER_FIXED, n, NULL, x, x));
    for (int64_t p = 0; p < PARTS; ++p) {
        assert_ok(context, subwave_copy(context, part, x + p * PART, PART));
        const int64_t at = p * 1000003 % PART;
        for (int64_t i = 0; i < PART; ++i)
            if (part[i] != (unsigned char)(p + (i >= at)))
                fail_msg("y[%lld] is %d", (long long)(p * PART + i), part[i]);
    }
    assert_ok(context, subwave_copy(context, part, x + n - LAST, LAST));
    for (int i = 0; i < LAST; ++i)
        assert_int_equal(part[i], PARTS + 1 + i);
    assert_ok(context, subwave_free(context, x));
    free(part);
}

/* NaN, infinities and zeros of both signs. */
static void test_special(void **state)
{
    subwave_context *context = *state;
    const double nan = 0.0 / 0.0, infinity = 1 / 0.0;
    const struct {
        subwave_op op;
        subwave_scan_kind scan;
        double x[3], right[3];
    } cases[] = {
        {SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, {1, infinity, -infinity}, {1, infinity, nan}},
        {SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, {-0.0, -0.0, 0.0}, {-0.0, -0.0, 0.0}},
        {SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE, {-0.0, -0.0, nan}, {0.0, -0.0, -0.0}},
        {SUBWAVE_OP_MINIMUM, SUBWAVE_SCAN_INCLUSIVE, {nan, 5, nan}, {nan, 5, 5}},
        {SUBWAVE_OP_MAXIMUM, SUBWAVE_SCAN_EXCLUSIVE, {nan, -5, 1}, {-infinity, nan, -5}},
        {SUBWAVE_OP_LOGICAL_OR, SUBWAVE_SCAN_INCLUSIVE, {-0.0, nan, 0}, {0, 1, 1}},
        {SUBWAVE_OP_LOGICAL_AND, SUBWAVE_SCAN_EXCLUSIVE, {0.5, -0.0, 1}, {1, 1, 0}},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        void *x;
        double y[3];
        assert_ok(context, subwave_malloc(context, &x, sizeof y));
        assert_ok(context, subwave_copy(context, x, cases[c].x, sizeof y));
        assert_ok(context, subwave_scan(context, SUBWAVE_DTYPE_F64, cases[c].op, cases[c].scan,
                                        SUBWAVE_ORDER_FIXED, 3, NULL, x, x));
        assert_ok(context, subwave_copy(context, y, x, sizeof y));
        assert_ok(context, subwave_free(context, x));
        for (int i = 0; i < 3; ++i) {
            uint64_t found, right;
            memcpy(&found, &y[i], sizeof found);
            memcpy(&right, &cases[c].right[i], sizeof right);
            if (!reference_same(SUBWAVE_DTYPE_F64, found, right))
                fail_msg("case %zu: y[%d] is %g, not %g", c, i, y[i], cases[c].right[i]);
        }
    }
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { TILE = 2 * ROWS * BLOCK * 2, ZEROS = 4096, SMALL = ZEROS + 256, MOST = 1057040 };
    static const int64_t counts[] = {TILE, TILE + 1, TILE * GROUP, TILE * GROUP + 1};
    static const int64_t needed[] = {SMALL, SMALL + 2 * (2 + 1) * 8, SMALL + 2 * (GROUP + 2) * 8,
                                     SMALL + 2 * (GROUP + 1 + 2) * 8};
    void *workspace;
    assert_ok(context, subwave_malloc(context, &workspace, MOST));
    for (size_t c = 0; c < COUNT(counts); ++c) {
        const int64_t n = counts[c];
        int64_t *values = malloc((size_t)n * sizeof *values), sum = 0;
        assert_non_null(values);
        void *x;
        assert_ok(context, subwave_malloc(context, &x, n * (int64_t)sizeof *values));
        for (int64_t i = 0; i < n; ++i)
            values[i] = i % 1001 - 500; /* so that sums of sums are in range */
        assert_ok(context, subwave_copy(context, x, values, n * (int64_t)sizeof *values));
        for (int tries = 0; tries < 3; ++tries) { /* too small; enough; again, in what is left */
            const bool enough = tries > 0;
            assert_ok(context, subwave_set_workspace(context, workspace, needed[c] - !enough));
            assert_int_equal(subwave_scan(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS,
                                          SUBWAVE_SCAN_EXCLUSIVE, SUBWAVE_ORDER_FIXED, n, NULL, x,
                                          x),
                             enough ? SUBWAVE_STATUS_SUCCESS : SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
            for (int64_t i = 0; enough && i < n; ++i) {
                const int64_t value = values[i];
                values[i] = sum;
                sum += value;
            }
            sum = 0;
            int64_t *found = malloc((size_t)n * sizeof *found);
            assert_non_null(found);
            assert_ok(context, subwave_copy(context, found, x, n * (int64_t)sizeof *found));
            assert_memory_equal(found, values, (size_t)n * sizeof *found);
            free(found);
            /* With which the next call begins. */
            unsigned char first[ZEROS];
            assert_ok(context, subwave_copy(context, first, workspace, ZEROS));
            for (int i = 0; i < ZEROS; ++i)
                assert_int_equal(first[i], 0);
        }
        assert_ok(context, subwave_free(context, x));
        free(values);
    }
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[2] = {1, 2}, y[2] = {-1, -1};
    const struct {
        subwave_status status;
        subwave_dtype dtype;
        int op, scan, order;
        int64_t n;
        const void *x;
        void *y;
        const char *text;
    } cases[] = {
#define VALID SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_ORDER_FIXED
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 0, VALID, 2, x, y, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, VALID, 2, x, y, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C64, 1, VALID, 2, x, y, "c64"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F32, SUBWAVE_OP_BIT_XOR, VALID, 2, x, y,
         "bit_xor"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, 0, SUBWAVE_ORDER_FIXED, 2, x, y,
         "scan is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, GREATEST(SUBWAVE_SCAN_LIST) + 1,
         SUBWAVE_ORDER_FIXED, 2, x, y, "scan is"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, SUBWAVE_SCAN_INCLUSIVE, 0, 2, x, y,
         "order is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, VALID, -1, x, y, "n is -1"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, NULL, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 1, (char *)x + 4, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, x, NULL, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 1, x, (char *)y + 1, "y "},
#undef VALID
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_scan(
            context, cases[c].dtype, (subwave_op)cases[c].op, (subwave_scan_kind)cases[c].scan,
            (subwave_order)cases[c].order, cases[c].n, NULL, cases[c].x, cases[c].y);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(y[0] == -1 && y[1] == -1);
    }
    assert_int_equal(subwave_scan(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                                  SUBWAVE_ORDER_FIXED, 2, NULL, x, y),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_string_equal(subwave_scan_kind_name(SUBWAVE_SCAN_EXCLUSIVE), "exclusive");
    assert_string_equal(subwave_scan_kind_name((subwave_scan_kind)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),       cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_large),     cmocka_unit_test(test_special),
        cmocka_unit_test(test_workspace), cmocka_unit_test(test_arguments),
    };
    return harness_run("scan", tests, COUNT(tests));
}
