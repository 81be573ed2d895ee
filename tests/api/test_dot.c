/* SPDX-License-Identifier: MIT
 * test_dot.c: subwave_dot against the reference: every type, sizes around packs, rows and tiles, any
 * alignment, in the fixed order bit for bit.
 */
#include "arrays.h"

#include "../reference_array.h"

static size_t size_of(subwave_dtype dtype) { return (size_t)reference_width(dtype) / 8; }

/* Of a type's parts, mixed sizes and signs. The products of small floats do not all leave bf16's
 * range, but some of them f32's. */
static void fill(arrays *a, subwave_dtype dtype, int64_t n)
{
    const subwave_dtype part = reference_part(dtype);
    const int64_t parts = 2 * n * reference_width(dtype) / reference_width(part);
    arrays_fill(a, part, SUBWAVE_OP_PLUS, parts);
    for (int64_t i = 0; part == SUBWAVE_DTYPE_BF16 && i < parts; i += 5)
        reference_store(
            part, a->values, i,
            reference_encode(part, (i % 2 ? 1e-21 : 1e-23) * harness_random_sign(&a->random)));
}

/* x are the first half of a's values, y the second; returns the result. */
static const void *call(arrays *a, subwave_dtype dtype, subwave_conjugation conjugation,
                        subwave_order order, int64_t n, subwave_place place, bool aligned)
{
    const size_t size = size_of(dtype), part = size_of(reference_part(dtype)),
                 bytes = (size_t)n * size;
    guarded_reset(&a->x, aligned ? 16 : part, a->values, bytes);
    guarded_reset(&a->y, aligned ? 16 : part, a->values + bytes, bytes);
    void *const result = arrays_result(a, place, part, size);
    assert_ok(a->context, subwave_dot(a->context, dtype, conjugation, order, n,
                                      n ? guarded_pointer(&a->x) : NULL,
                                      n ? guarded_pointer(&a->y) : NULL, place, result));
    assert_int_equal(guarded_changes(&a->y), 0);
    return arrays_result_read(a, place, size);
}

static void check(arrays *a, subwave_dtype dtype, int64_t n, unsigned turn)
{
    const subwave_dtype part = reference_part(dtype);
    const int parts = (int)(size_of(dtype) / size_of(part));
    const subwave_conjugation conjugation = all_conjugations[turn % COUNT(all_conjugations)];
    unsigned char right[16];
    fill(a, dtype, n);
    reference_array_dot(dtype, conjugation, a->values, a->values + (size_t)n * size_of(dtype), n,
                        right);
    const void *found = call(a, dtype, conjugation, SUBWAVE_ORDER_FIXED, n,
                             all_places[turn / 2 % COUNT(all_places)], turn / 4 % 2);
    for (int p = 0; p < parts; ++p) {
        const uint64_t is = reference_load(part, found, p), not = reference_load(part, right, p);
        if (!reference_same(part, is, not))
            fail_msg("%s, n = %lld, conjugation %s, part %d: %.17g, not %.17g",
                     subwave_dtype_name(dtype), (long long)n, subwave_conjugation_name(conjugation),
                     p, reference_decode(part, is), reference_decode(part, not));
    }
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dot_dtypes); ++d)
        for (size_t s = 0; s < COUNT(fold_sizes); ++s) {
            const int64_t n =
                (int64_t)fold_sizes[s].packs * (128 / reference_width(dot_dtypes[d])) +
                fold_sizes[s].elements;
            check(&a, dot_dtypes[d], n, turn++);
            check(&a, dot_dtypes[d], n, turn++);
        }
    arrays_destroy(&a);
}

/* So many tiles that a work-item of the last block has several, or that tiles have more rows. */
static void test_many_tiles(void **state)
{
    arrays a = arrays_create(*state);
    const int64_t packs = 4 * 256 * (2 * 256 + 3) + 5, more = (int64_t)4 * 256 * 1024 + 3 * 256 + 1;
    check(&a, SUBWAVE_DTYPE_C64, packs, 1);
    check(&a, SUBWAVE_DTYPE_F32, 4 * packs + 3, 2);
    if (harness_is_full())
        check(&a, SUBWAVE_DTYPE_F64, 2 * more + 1, 0);
    arrays_destroy(&a);
}

static void test_device_order(void **state)
{
    arrays a = arrays_create(*state);
    enum { N = 300001 };
    double sum = 0, size = 0, first, again;
    fill(&a, SUBWAVE_DTYPE_F64, N);
    for (int64_t i = 0; i < N; ++i) {
        const double x = reference_decode(SUBWAVE_DTYPE_F64,
                                          reference_load(SUBWAVE_DTYPE_F64, a.values, i)),
                     y = reference_decode(SUBWAVE_DTYPE_F64,
                                          reference_load(SUBWAVE_DTYPE_F64, a.values, N + i));
        sum += x * y;
        size += x * y < 0 ? -x * y : x * y;
    }
    memcpy(&first,
           call(&a, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_DEVICE, N,
                SUBWAVE_PLACE_HOST, true),
           sizeof first);
    const double off = first > sum ? first - sum : sum - first;
    assert_true(off <= 1e-12 * size && first != 0);
    memcpy(&again,
           call(&a, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_DEVICE, N,
                SUBWAVE_PLACE_DEVICE, false),
           sizeof again);
    assert_memory_equal(&first, &again, sizeof first);
    arrays_destroy(&a);
}

/* NaN, infinities, zeros of both signs; x and y are the same array; the result is in it. */
static void test_special(void **state)
{
    subwave_context *context = *state;
    const double nan = 0.0 / 0.0, infinity = 1 / 0.0;
    const struct {
        double x[2], y[2], right;
    } cases[] = {
        {{infinity, 1}, {1, 2}, infinity},      {{infinity, 1}, {0, 2}, nan},
        {{infinity, infinity}, {1, -1}, nan},   {{nan, 1}, {1, 1}, nan},
        {{-0.0, 0.0}, {1, -1}, -0.0},           {{0.0, 0.0}, {1, -1}, 0.0},
        {{1e200, -1e200}, {1e200, 1e200}, nan}, {{3, 4}, {3, 4}, 25},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        double *x, result;
        assert_ok(context, subwave_malloc(context, (void **)&x, 2 * sizeof cases[c].x));
        assert_ok(context, subwave_copy(context, x, cases[c].x, sizeof cases[c].x));
        assert_ok(context, subwave_copy(context, x + 2, cases[c].y, sizeof cases[c].y));
        assert_ok(context,
                  subwave_dot(context, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_FIRST,
                              SUBWAVE_ORDER_FIXED, 2, x, x + 2, SUBWAVE_PLACE_HOST, &result));
        uint64_t found, right;
        memcpy(&found, &result, sizeof found);
        memcpy(&right, &cases[c].right, sizeof right);
        if (!reference_same(SUBWAVE_DTYPE_F64, found, right))
            fail_msg("case %zu: %g, not %g", c, result, cases[c].right);
        assert_ok(context, subwave_copy(context, x, (double[]){3, 4}, 2 * sizeof *x));
        assert_ok(context, subwave_dot(context, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_NONE,
                                       SUBWAVE_ORDER_FIXED, 2, x, x, SUBWAVE_PLACE_DEVICE, x + 1));
        assert_ok(context, subwave_copy(context, &result, x + 1, sizeof result));
        assert_true(result == 25);
        assert_ok(context, subwave_free(context, x));
    }
}

static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { N = 100000, NEEDED = 20736 };
    void *x, *workspace;
    assert_ok(context, subwave_malloc(context, &x, N * sizeof(float)));
    float *const ones = malloc(N * sizeof *ones), result = -1;
    assert_non_null(ones);
    for (int i = 0; i < N; ++i)
        ones[i] = 1;
    assert_ok(context, subwave_copy(context, x, ones, N * sizeof *ones));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
#define CALL \
    subwave_dot(context, SUBWAVE_DTYPE_F32, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED, N, x, \
                x, SUBWAVE_PLACE_HOST, &result)
    assert_int_equal(CALL, SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_true(result == -1);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    for (int i = 0; i < 2; ++i) { /* the counter is as it was */
        assert_ok(context, CALL);
        assert_true(result == N);
    }
#undef CALL
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, x));
    free(ones);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[2] = {1, 2}, result = -1;
    const struct {
        subwave_status status;
        int dtype, conjugation, order, place;
        int64_t n;
        const void *x, *y;
        void *result;
        const char *text;
    } cases[] = {
#define VALID SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_HOST
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, VALID, 2, x, x, &result, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_I32, 1, VALID, 2, x, x, &result,
         "dtype is i32; dot takes f16, bf16, f32, f64, c32, c64"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_C32, 0, VALID, 2, x, x, &result,
         "conjugation is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_C32, GREATEST(SUBWAVE_CONJUGATION_LIST) + 1,
         VALID, 2, x, x, &result, "conjugation is"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, 0, SUBWAVE_PLACE_HOST, 2, x, x,
         &result, "order is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 1, SUBWAVE_ORDER_FIXED, 0, 2, x, x,
         &result, "place is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, 1, VALID, -1, x, x, &result, "n is -1"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, NULL, x, &result, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 2, x, NULL, &result, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_C32, 1, VALID, 2, x, (char *)x + 2, &result,
         "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, 1, VALID, 0, NULL, NULL, NULL,
         "result "},
#undef VALID
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_dot(
            context, (subwave_dtype)cases[c].dtype, (subwave_conjugation)cases[c].conjugation,
            (subwave_order)cases[c].order, cases[c].n, cases[c].x, cases[c].y,
            (subwave_place)cases[c].place, cases[c].result);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(result == -1);
    }
    assert_int_equal(subwave_dot(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_NONE,
                                 SUBWAVE_ORDER_FIXED, 2, x, x, SUBWAVE_PLACE_HOST, &result),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_string_equal(subwave_conjugation_name(SUBWAVE_CONJUGATION_FIRST), "first");
    assert_string_equal(subwave_conjugation_name((subwave_conjugation)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),          cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_device_order), cmocka_unit_test(test_special),
        cmocka_unit_test(test_workspace),    cmocka_unit_test(test_arguments),
    };
    return harness_run("dot", tests, COUNT(tests));
}
