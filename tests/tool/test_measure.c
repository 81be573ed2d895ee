/* SPDX-License-Identifier: MIT
 * test_measure.c: what the benches compare results with: right results pass, and a single wrong element
 * of any operation is found, in each of the chunks that are compared together.
 */
#include <measure.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 2500 }; /* two chunks, and a part of one */

static subwave_context *context;

typedef struct judged {
    measure_data data;
    int64_t wrong; /* this byte of the result, or -1 */
} judged;

static bool call(void *self, int set)
{
    judged *const j = self;
    unsigned char *const y = measure_at(&j->data.c, set), byte = 0;
    subwave_status status = measure_queue(&j->data, set);
    if (status == SUBWAVE_STATUS_SUCCESS && j->wrong >= 0) {
        status = subwave_copy(context, &byte, y + j->wrong, 1);
        byte ^= 0x41; /* of floats neither a subnormal number's last bits alone, nor to NaN */
        if (status == SUBWAVE_STATUS_SUCCESS)
            status = subwave_copy(context, y + j->wrong, &byte, 1);
    }
    return status == SUBWAVE_STATUS_SUCCESS;
}

/* The error after a call, with a byte of the result spoiled. */
static double error_of(const measure_problem *p, int64_t wrong)
{
    judged j = {.wrong = wrong};
    double error = 0;
    if (!measure_place(&j.data, context, p, 1))
        fail_msg("%s: %s", measure_operation_name(p->operation), j.data.reason);
    assert_true(wrong < (int64_t)j.data.c.bytes);
    assert_int_equal(measure_reset(&j.data), SUBWAVE_STATUS_SUCCESS);
    assert_true(call(&j, 0));
    assert_true(measure_error(&j.data, call, &j, &error));
    measure_release(&j.data);
    return error;
}

/* Of element i, the byte with the highest bits of its first number: a wrong sign or exponent. */
static int64_t byte_of(subwave_dtype dtype, int64_t first, int64_t i)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype),
                  part = (int64_t)subwave_dtype_size(measure_part(dtype));
    return first + i * size + part - 1;
}

static void expect_judged(const measure_problem *p, subwave_dtype results, int64_t first,
                          int64_t count)
{
    const double right = error_of(p, -1);
    if (!(right <= measure_bound(p)))
        fail_msg("%s in %s: error %g of a right result", measure_operation_name(p->operation),
                 subwave_dtype_name(p->dtype), right);
    const int64_t places[] = {0, count / 2, count - 1};
    for (int i = 0; i < 3; ++i) {
        const double wrong = error_of(p, byte_of(results, first, places[i]));
        if (wrong <= measure_bound(p))
            fail_msg("%s in %s: error %g with a wrong element %lld",
                     measure_operation_name(p->operation), subwave_dtype_name(p->dtype), wrong,
                     (long long)places[i]);
    }
}

static const subwave_dtype types[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_F16,
                                      SUBWAVE_DTYPE_I32, SUBWAVE_DTYPE_U8,  SUBWAVE_DTYPE_I64};
enum { TYPES = sizeof types / sizeof *types };

static void test_arrays(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; ++t) {
        const subwave_dtype dtype = types[t];
        measure_problem p = measure_default(MEASURE_REDUCE, dtype);
        p.n = ELEMENTS;
        expect_judged(&p, dtype, 0, 1);
        p.op = SUBWAVE_OP_MAXIMUM;
        p.has_init = true;
        expect_judged(&p, dtype, 0, 1);
        p.has_init = false;
        p.op = SUBWAVE_OP_MINIMUM;
        p.operation = MEASURE_MINMAX_INDEX;
        expect_judged(&p, SUBWAVE_DTYPE_I64, 0, 1);
        expect_judged(&p, dtype, MEASURE_INDEX_BYTES, 1);
        p.op = SUBWAVE_OP_PLUS;
        p.operation = MEASURE_SCAN;
        expect_judged(&p, dtype, 0, ELEMENTS);
        p.scan = SUBWAVE_SCAN_EXCLUSIVE;
        expect_judged(&p, dtype, 0, ELEMENTS);
        p.segments = 7;
        p.operation = MEASURE_SEGMENTED_SCAN;
        expect_judged(&p, dtype, 0, ELEMENTS);
        p.operation = MEASURE_SEGMENTED_REDUCE;
        expect_judged(&p, dtype, 0, 7);
        p.operation = MEASURE_COMPACT_IF;
        expect_judged(&p, dtype, MEASURE_COUNT_BYTES, ELEMENTS / 3);
        p.operation = MEASURE_PARTITION;
        expect_judged(&p, dtype, (int64_t)measure_rest_at(&p), ELEMENTS / 3);
        p.operation = MEASURE_UNIQUE;
        expect_judged(&p, dtype, MEASURE_COUNT_BYTES, ELEMENTS / 3);
        expect_judged(&p, SUBWAVE_DTYPE_I64, 0, 1); /* the count */
        p.operation = MEASURE_HISTOGRAM;
        expect_judged(&p, SUBWAVE_DTYPE_I64, 0, p.bins);
        p.bounded = true;
        expect_judged(&p, SUBWAVE_DTYPE_I64, 0, p.bins);
    }
}

static void test_sums_of_products_and_cells(void **state)
{
    (void)state;
    static const subwave_dtype factors[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_C64};
    for (int t = 0; t < 2; ++t) {
        measure_problem p = measure_default(MEASURE_DOT, factors[t]);
        p.n = ELEMENTS;
        expect_judged(&p, factors[t], 0, 1);
        p.operation = MEASURE_NORM2;
        expect_judged(&p, measure_part(factors[t]), 0, 1);
    }
    measure_problem p = measure_default(MEASURE_SCATTER_ADD, SUBWAVE_DTYPE_F32);
    p.n = 3 * ELEMENTS;
    p.bins = ELEMENTS;
    expect_judged(&p, p.dtype, 0, p.bins);
    p.operation = MEASURE_HISTOGRAM;
    p.weighted = true;
    expect_judged(&p, p.dtype, 0, p.bins);
}

static void test_rows(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; ++t) {
        measure_problem p = measure_default(MEASURE_ROW_REDUCE, types[t]);
        p.m = 5;
        p.n = ELEMENTS / 2;
        expect_judged(&p, p.dtype, 0, p.m);
        p.operation = MEASURE_ROW_SCAN;
        expect_judged(&p, p.dtype, 0, p.m * p.n);
        p.operation = MEASURE_TRANSPOSE;
        expect_judged(&p, p.dtype, 0, p.m * p.n);
    }
}

/* Half of what `unique` is given is kept, as docs/bench.md says. */
static void test_half_is_unique(void **state)
{
    (void)state;
    static const subwave_dtype unlike[] = {SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_C64};
    for (int t = 0; t < 2; ++t) {
        measure_data data = {0};
        measure_problem p = measure_default(MEASURE_UNIQUE, unlike[t]);
        int64_t count = 0;
        p.n = ELEMENTS;
        assert_true(measure_place(&data, context, &p, 1));
        assert_int_equal(measure_queue(&data, 0), SUBWAVE_STATUS_SUCCESS);
        assert_int_equal(subwave_copy(context, &count, measure_at(&data.c, 0), sizeof count),
                         SUBWAVE_STATUS_SUCCESS);
        assert_int_equal(count, ELEMENTS / 2);
        measure_release(&data);
    }
}

static int begin(void **state)
{
    (void)state;
    return subwave_context_create(&context, "cpu:8") != SUBWAVE_STATUS_SUCCESS;
}
static int end(void **state)
{
    (void)state;
    return subwave_context_destroy(&context) != SUBWAVE_STATUS_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_sums_of_products_and_cells),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_half_is_unique),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
