/* SPDX-License-Identifier: MIT
 * test_reduce.c: subwave_reduce against the reference: every dtype and op, sizes around packs, rows
 * and tiles, any alignment, in the fixed order bit for bit.
 */
#include "arrays.h"

#include "../reference_array.h"

#include <string.h>

enum { BLOCK = 256, ROWS = 4, TILES = 1024 }; /* of the fixed order, docs/arrays.md */

/* --- calls ----------------------------------------------------------------------------------- */

typedef struct way {
    subwave_order order;
    subwave_place place;
    bool has_init, aligned;
} way;

/* The result, from the host's or the device's memory, nothing else written. */
static uint64_t call(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, way w,
                     const uint64_t *init)
{
    const size_t size = (size_t)reference_width(dtype) / 8;
    unsigned char result[sizeof(uint64_t)];
    harness_fill(HARNESS_A5, result, sizeof result);
    guarded_reset(&a->x, w.aligned ? 16 : size, a->values, (size_t)n * size);
    guarded_reset(&a->y, size, result, size);
    const bool to_host = w.place == SUBWAVE_PLACE_HOST;
    assert_ok(a->context,
              subwave_reduce(a->context, dtype, op, w.order, n, w.has_init ? init : NULL,
                             n ? guarded_pointer(&a->x) : NULL, w.place,
                             to_host ? (void *)result : guarded_pointer(&a->y)));
    if (to_host)
        assert_int_equal(guarded_changes(&a->y), 0);
    else
        assert_int_equal(guarded_read(&a->y, result), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    for (size_t i = size; i < sizeof result; ++i)
        assert_int_equal(result[i], 0xa5);
    return reference_load(dtype, result, 0);
}

static void check(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, way w)
{
    arrays_fill(a, dtype, op, n);
    uint64_t init = 0;
    reference_store(dtype, &init, 0, reference_encode(dtype, 3));
    const uint64_t right =
        reference_array_reduce(dtype, op, a->values, n, w.has_init ? &init : NULL);
    const uint64_t fixed = call(a, dtype, op, n, w, &init);
    if (!reference_same(dtype, fixed, right))
        fail_msg("%s of %s, n = %lld, %s%s: %.17g, not %.17g", subwave_op_name(op),
                 subwave_dtype_name(dtype), (long long)n, w.aligned ? "aligned" : "not aligned",
                 w.has_init ? ", init" : "", reference_decode(dtype, fixed),
                 reference_decode(dtype, right));
}

/* --- tests ----------------------------------------------------------------------------------- */

static const way ways[] = {
    {SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_DEVICE, false, true},
    {SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_HOST, true, false},
    {SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_HOST, false, false},
    {SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_DEVICE, true, true},
};

static void check_in_turn(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, unsigned turn)
{
    check(a, dtype, op, n, ways[(turn + turn / COUNT(ways)) % COUNT(ways)]);
}

static void test_all(void **state)
{
    arrays_check_all(*state, fold_sizes, COUNT(fold_sizes), check_in_turn);
}

/* So many tiles that a work-item of the last block has several. */
static void test_many_tiles(void **state)
{
    arrays a = arrays_create(*state);
    const int64_t packs = (int64_t)ROWS * BLOCK * (2 * BLOCK + 3) + 5;
    check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 2 * packs + 1, ways[0]);
    check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 4 * packs + 3, ways[2]);
    if (harness_is_full()) { /* and so many that tiles have more rows */
        const int64_t more = (int64_t)ROWS * BLOCK * TILES + 3 * BLOCK + 1;
        check(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 2 * more + 1, ways[0]);
        check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MULTIPLIES, 4 * more + 3, ways[1]);
    }
    arrays_destroy(&a);
}

/* The device's own order: integers are the same in any, floats from call to call. */
static void test_device_order(void **state)
{
    arrays a = arrays_create(*state);
    way w = {SUBWAVE_ORDER_DEVICE, SUBWAVE_PLACE_HOST, false, true};
    const int64_t n = 300001;
    arrays_fill(&a, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, n);
    assert_int_equal(call(&a, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, n, w, NULL),
                     reference_array_reduce(SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, a.values, n, NULL));
    arrays_fill(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n);
    const uint64_t first = call(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n, w, NULL);
    w.aligned = false; /* which no order looks at */
    for (int i = 0; i < 3; ++i)
        assert_int_equal(call(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n, w, NULL), first);
    double sum = 0, size = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double x =
            reference_decode(SUBWAVE_DTYPE_F64, reference_load(SUBWAVE_DTYPE_F64, a.values, i));
        sum += x;
        size += x < 0 ? -x : x;
    }
    const double found = reference_decode(SUBWAVE_DTYPE_F64, first), off = found - sum;
    assert_true((off < 0 ? -off : off) <= 1e-12 * size && found != 0);
    arrays_destroy(&a);
}

/* More elements than 31 bits count: of the last ones, which alone are not 0. */
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
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    memset(part, 3, LAST);
    assert_ok(context, subwave_copy(context, x + n - LAST, part, LAST));
    part[0] = 100;
    assert_ok(context, subwave_copy(context, x + PART * (int64_t)(PARTS - 1), part, 1));
    for (size_t o = 0; o < COUNT(all_orders); ++o) {
        uint8_t sum = 0, greatest = 0;
        assert_ok(context, subwave_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, all_orders[o],
                                          n, NULL, x, SUBWAVE_PLACE_HOST, &sum));
        assert_int_equal(sum, (3 * LAST + 100) % 256);
        assert_ok(context,
                  subwave_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, all_orders[o],
                                 n - LAST, NULL, x, SUBWAVE_PLACE_HOST, &greatest));
        assert_int_equal(greatest, 100);
    }
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
        double x[3], right;
    } cases[] = {
        {SUBWAVE_OP_PLUS, {infinity, 1, 2}, infinity},
        {SUBWAVE_OP_PLUS, {infinity, -infinity, 2}, nan},
        {SUBWAVE_OP_PLUS, {-0.0, -0.0, -0.0}, -0.0},
        {SUBWAVE_OP_PLUS, {-0.0, 0.0, -0.0}, 0.0},
        {SUBWAVE_OP_MINIMUM, {nan, 5, nan}, 5},
        {SUBWAVE_OP_MAXIMUM, {nan, -5, nan}, -5},
        {SUBWAVE_OP_MINIMUM, {0.0, -0.0, 0.0}, -0.0},
        {SUBWAVE_OP_MAXIMUM, {-0.0, 0.0, -0.0}, 0.0},
        {SUBWAVE_OP_MAXIMUM, {nan, nan, nan}, nan},
        {SUBWAVE_OP_MINIMUM, {infinity, infinity, infinity}, infinity},
        {SUBWAVE_OP_LOGICAL_OR, {-0.0, 0.0, nan}, 1},
        {SUBWAVE_OP_LOGICAL_OR, {-0.0, 0.0, 0.0}, 0},
        {SUBWAVE_OP_LOGICAL_AND, {nan, infinity, 0.5}, 1},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        void *x;
        double result;
        assert_ok(context, subwave_malloc(context, &x, sizeof cases[c].x));
        assert_ok(context, subwave_copy(context, x, cases[c].x, sizeof cases[c].x));
        assert_ok(context,
                  subwave_reduce(context, SUBWAVE_DTYPE_F64, cases[c].op, SUBWAVE_ORDER_FIXED, 3,
                                 NULL, x, SUBWAVE_PLACE_HOST, &result));
        assert_ok(context, subwave_free(context, x));
        uint64_t found, right;
        memcpy(&found, &result, sizeof found);
        memcpy(&right, &cases[c].right, sizeof right);
        if (!reference_same(SUBWAVE_DTYPE_F64, found, right))
            fail_msg("case %zu: %g, not %g", c, result, cases[c].right);
    }
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. The result may be an element of x. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { N = 100000, NEEDED = 12544 };
    int64_t *values = malloc(N * sizeof *values), sum = 0, result = -1;
    assert_non_null(values);
    for (int64_t i = 0; i < N; ++i)
        sum += values[i] = i * i;
    void *x, *workspace;
    assert_ok(context, subwave_malloc(context, &x, N * sizeof *values));
    assert_ok(context, subwave_copy(context, x, values, N * sizeof *values));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
    assert_int_equal(subwave_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS,
                                    SUBWAVE_ORDER_FIXED, N, NULL, x, SUBWAVE_PLACE_HOST, &result),
                     SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_int_equal(result, -1);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    for (int i = 0; i < 2; ++i) { /* the counter is as it was */
        assert_ok(context,
                  subwave_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED,
                                 N, NULL, x, SUBWAVE_PLACE_HOST, &result));
        assert_int_equal(result, sum);
    }
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context,
              subwave_reduce(context, SUBWAVE_DTYPE_I64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED, N,
                             NULL, x, SUBWAVE_PLACE_DEVICE, (int64_t *)x + 7));
    assert_ok(context, subwave_copy(context, values, x, N * sizeof *values));
    assert_int_equal(values[7], sum);
    assert_int_equal(values[8], 64);
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, x));
    free(values);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[2] = {1, 2}, result = -1;
    const struct {
        subwave_status status;
        subwave_dtype dtype;
        int op, order, place;
        int64_t n;
        const void *x;
        void *result;
        const char *text;
    } cases[] = {
#define VALID SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_HOST
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 0, VALID, 2, x, &result, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, GREATEST(SUBWAVE_OP_LIST) + 1, VALID, 2,
         x, &result, "op is"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, VALID, 2, x, &result, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, 1, VALID, 2, x, &result, "c32"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F64, SUBWAVE_OP_BIT_OR, VALID, 2, x, &result,
         "bit_or"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, 0, SUBWAVE_PLACE_HOST, 2, x, &result,
         "order is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, GREATEST(SUBWAVE_ORDER_LIST) + 1,
         SUBWAVE_PLACE_HOST, 2, x, &result, "order is"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, SUBWAVE_ORDER_FIXED, 0, 2, x, &result,
         "place is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, SUBWAVE_ORDER_FIXED,
         GREATEST(SUBWAVE_PLACE_LIST) + 1, 2, x, &result, "place is"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, VALID, -1, x, &result, "n is -1"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, NULL, &result, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, (char *)x + 1, &result,
         "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, x, NULL, "result "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 0, NULL, (char *)&result + 4,
         "result "},
#undef VALID
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_reduce(
            context, cases[c].dtype, (subwave_op)cases[c].op, (subwave_order)cases[c].order,
            cases[c].n, NULL, cases[c].x, (subwave_place)cases[c].place, cases[c].result);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(result == -1);
    }
    assert_int_equal(subwave_reduce(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED,
                                    2, NULL, x, SUBWAVE_PLACE_HOST, &result),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_string_equal(subwave_order_name(SUBWAVE_ORDER_FIXED), "fixed");
    assert_string_equal(subwave_order_name((subwave_order)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),          cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_device_order), cmocka_unit_test(test_large),
        cmocka_unit_test(test_special),      cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("reduce", tests, COUNT(tests));
}
