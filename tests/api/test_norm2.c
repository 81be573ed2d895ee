/* SPDX-License-Identifier: MIT
 * test_norm2.c: subwave_norm2 against the reference: every type, sizes around packs, rows and tiles,
 * any alignment, numbers whose squares no type holds.
 */
#include "arrays.h"

#include "../reference_array.h"

#include <math.h>

static size_t size_of(subwave_dtype dtype) { return (size_t)reference_width(dtype) / 8; }

/* Numbers of sizes around 1, around the ends of the type's range, or all of these. */
static void fill(arrays *a, subwave_dtype dtype, int64_t n, int kind)
{
    const subwave_dtype part = reference_part(dtype);
    const int64_t parts = n * reference_width(dtype) / reference_width(part);
    const int exponents[] = {[SUBWAVE_DTYPE_F16] = 8,
                             [SUBWAVE_DTYPE_BF16] = 100,
                             [SUBWAVE_DTYPE_F32] = 100,
                             [SUBWAVE_DTYPE_F64] = 900};
    arrays_fill(a, part, SUBWAVE_OP_PLUS, parts);
    for (int64_t i = 0; i < parts; ++i) {
        const uint64_t bits = harness_random_bits(&a->random);
        const int far = exponents[part], exponent = kind == 3 ? (int)(bits % 3) - 1 : kind;
        reference_store(
            part, a->values, i,
            reference_encode(part, ldexp(reference_decode(part, reference_load(part, a->values, i)),
                                         exponent * far)));
    }
}

static uint64_t call(arrays *a, subwave_dtype dtype, subwave_order order, int64_t n,
                     subwave_place place, bool aligned)
{
    const subwave_dtype part = reference_part(dtype);
    guarded_reset(&a->x, aligned ? 16 : size_of(part), a->values, (size_t)n * size_of(dtype));
    void *const result = arrays_result(a, place, size_of(part), size_of(part));
    assert_ok(a->context, subwave_norm2(a->context, dtype, order, n,
                                        n ? guarded_pointer(&a->x) : NULL, place, result));
    return reference_load(part, arrays_result_read(a, place, size_of(part)), 0);
}

static void check(arrays *a, subwave_dtype dtype, int64_t n, unsigned turn)
{
    const subwave_dtype part = reference_part(dtype);
    fill(a, dtype, n, turn / 4 % 5 - 1);
    const uint64_t right = reference_array_norm2(dtype, a->values, n),
                   found = call(a, dtype, SUBWAVE_ORDER_FIXED, n,
                                all_places[turn % COUNT(all_places)], turn / 2 % 2);
    if (!reference_same(part, found, right))
        fail_msg("%s, n = %lld: %.17g, not %.17g", subwave_dtype_name(dtype), (long long)n,
                 reference_decode(part, found), reference_decode(part, right));
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dot_dtypes); ++d)
        for (size_t s = 0; s < COUNT(fold_sizes); ++s)
            for (int i = 0; i < 3; ++i, ++turn)
                check(&a, dot_dtypes[d],
                      (int64_t)fold_sizes[s].packs * (128 / reference_width(dot_dtypes[d])) +
                          fold_sizes[s].elements,
                      turn);
    const int64_t packs = 4 * 256 * (2 * 256 + 3) + 5; /* of several tiles for a work-item */
    check(&a, SUBWAVE_DTYPE_F64, 2 * packs + 1, 4);
    check(&a, SUBWAVE_DTYPE_C32, 2 * packs + 1, 5);
    arrays_destroy(&a);
}

/* The norm itself, however large or small the numbers are: of n times the same it is the root of n
 * times its size. */
static void test_range(void **state)
{
    arrays a = arrays_create(*state);
    enum { N = 1600 };
    const struct {
        subwave_dtype dtype;
        double x;
    } cases[] = {
        {SUBWAVE_DTYPE_F64, 4e306},    {SUBWAVE_DTYPE_F64, 0x1p-1074},
        {SUBWAVE_DTYPE_F64, 1e-300},   {SUBWAVE_DTYPE_F64, 0x1p-511},
        {SUBWAVE_DTYPE_F64, 0x1p-512}, {SUBWAVE_DTYPE_F64, 0x1p486},
        {SUBWAVE_DTYPE_F64, 1.5e145},  {SUBWAVE_DTYPE_F64, 3},
        {SUBWAVE_DTYPE_F32, 8e36},     {SUBWAVE_DTYPE_F32, 0x1p-149},
        {SUBWAVE_DTYPE_BF16, 0x1p120}, {SUBWAVE_DTYPE_BF16, 0x1p-133},
        {SUBWAVE_DTYPE_F16, 1024},     {SUBWAVE_DTYPE_F16, 0x1p-24},
        {SUBWAVE_DTYPE_C64, 2e306},    {SUBWAVE_DTYPE_C32, 0x1p-149},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_dtype dtype = cases[c].dtype, part = reference_part(dtype);
        const int parts = reference_width(dtype) / reference_width(part);
        arrays_fill(&a, part, SUBWAVE_OP_PLUS, N);
        for (int i = 0; i < N; ++i)
            reference_store(part, a.values, i,
                            reference_encode(part, i % 2 ? cases[c].x : -cases[c].x));
        const double found = reference_decode(
            part, call(&a, dtype, SUBWAVE_ORDER_FIXED, N / parts, SUBWAVE_PLACE_HOST, true));
        if (fabs(found / 40 - cases[c].x) > ldexp(cases[c].x, -reference_fraction(dtype)))
            fail_msg("%s of %g: %.17g", subwave_dtype_name(dtype), cases[c].x, found);
    }
    /* Of all sizes together the largest decide; one of 3 and 4 is 5. */
    const struct {
        double x[4], right;
    } mixed[] = {
        {{3e200, 4e200, 1, 1e-200}, 5e200},
        {{3e-200, 4e-200, 0, 0}, 5e-200},
        {{1, 1e-200, 0, 1e-320}, 1},
        {{3e-154, 4e-154, 1e-170, 0}, 5e-154},
        {{0, -0.0, 0, 0}, 0},
        {{1 / 0.0, 1, 0, -1 / 0.0}, 1 / 0.0},
        {{1 / 0.0, 0.0 / 0.0, 0, 1}, NAN},
        {{1e300, NAN, 0, 1e-300}, NAN},
        {{NAN, 0, 0, 1e-300}, NAN},
    };
    for (size_t c = 0; c < COUNT(mixed); ++c) {
        arrays_fill(&a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 4);
        memcpy(a.values, mixed[c].x, sizeof mixed[c].x);
        const double found =
            reference_decode(SUBWAVE_DTYPE_F64, call(&a, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_DEVICE, 4,
                                                     SUBWAVE_PLACE_DEVICE, false));
        const bool is_right = isnan(mixed[c].right) ? isnan(found)
                              : isinf(mixed[c].right)
                                  ? found == mixed[c].right
                                  : fabs(found - mixed[c].right) <= 1e-15 * mixed[c].right;
        if (!is_right)
            fail_msg("case %zu: %.17g, not %.17g", c, found, mixed[c].right);
    }
    arrays_destroy(&a);
}

static void test_workspace_and_arguments(void **state)
{
    subwave_context *context = *state;
    enum { NEEDED = 28928 };
    double x[2] = {3, 4}, result = -1;
    const struct {
        subwave_status status;
        int dtype, order, place;
        int64_t n;
        const void *x;
        void *result;
        const char *text;
    } cases[] = {
#define VALID SUBWAVE_ORDER_FIXED, SUBWAVE_PLACE_HOST
        {SUBWAVE_STATUS_INVALID_VALUE, 0, VALID, 2, x, &result, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_U8, VALID, 2, x, &result,
         "dtype is u8; norm2 takes f16, bf16, f32, f64, c32, c64"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, 0, SUBWAVE_PLACE_HOST, 2, x, &result,
         "order is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 0, 2, x, &result,
         "place is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F64, VALID, -1, x, &result, "n is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_C64, VALID, INT64_MAX, x, &result, "n is 9"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, VALID, 2, NULL, &result, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_C64, VALID, 2, (char *)x + 4, &result, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F64, VALID, 0, NULL, NULL, "result "},
#undef VALID
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status =
            subwave_norm2(context, (subwave_dtype)cases[c].dtype, (subwave_order)cases[c].order,
                          cases[c].n, cases[c].x, (subwave_place)cases[c].place, cases[c].result);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(result == -1);
    }
    assert_int_equal(subwave_norm2(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 2, x,
                                   SUBWAVE_PLACE_HOST, &result),
                     SUBWAVE_STATUS_INVALID_CONTEXT);

    double *on_device;
    void *workspace;
    assert_ok(context, subwave_malloc(context, (void **)&on_device, sizeof x));
    assert_ok(context, subwave_copy(context, on_device, x, sizeof x));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
    assert_int_equal(subwave_norm2(context, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 2, on_device,
                                   SUBWAVE_PLACE_HOST, &result),
                     SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_true(result == -1);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    assert_ok(context, subwave_norm2(context, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 2, on_device,
                                     SUBWAVE_PLACE_DEVICE, on_device));
    assert_ok(context, subwave_copy(context, &result, on_device, sizeof result));
    assert_true(result == 5);
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, on_device));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_workspace_and_arguments),
    };
    return harness_run("norm2", tests, COUNT(tests));
}
