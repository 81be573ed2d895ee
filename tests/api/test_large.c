/* SPDX-License-Identifier: MIT
 * test_large.c: calls on more than 2^31 elements, nearly all of them zeros, on a GPU; those whose own
 * tests have none.
 */
#include "../harness.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 26, PARTS = 33 }; /* bytes, of an array of bytes */
static const int64_t COUNT_OF_BYTES = (int64_t)PART * PARTS;

/* An array of `bytes` bytes, each of which is `value`, or null if the device has no memory for it. */
static unsigned char *filled(subwave_context *context, int64_t bytes, int value)
{
    unsigned char *array;
    if (subwave_malloc(context, (void **)&array, bytes) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("left out: %s\n", subwave_last_error(context));
        return NULL;
    }
    unsigned char *const part = malloc(PART);
    assert_non_null(part);
    memset(part, value, PART);
    for (int64_t at = 0; at < bytes; at += PART)
        assert_ok(context,
                  subwave_copy(context, array + at, part, bytes - at < PART ? bytes - at : PART));
    free(part);
    return array;
}

static void put(subwave_context *context, unsigned char *array, int64_t at, unsigned char value)
{
    assert_ok(context, subwave_copy(context, array + at, &value, 1));
}
static unsigned char get(subwave_context *context, const unsigned char *array, int64_t at)
{
    unsigned char value;
    assert_ok(context, subwave_copy(context, &value, array + at, 1));
    return value;
}

/* Products that are not 0 stand at both ends and around element 2^31. */
static void test_dot_and_norm2(void **state)
{
    subwave_context *context = *state;
    const int64_t n = COUNT_OF_BYTES,
                  places[] = {0, ((int64_t)1 << 31) - 1, (int64_t)1 << 31, n - 1};
    const uint16_t two = 0x4000; /* of f16 */
    unsigned char *const x = filled(context, 2 * n, 0);
    if (!x)
        skip();
    for (size_t i = 0; i < 4; ++i)
        assert_ok(context, subwave_copy(context, x + 2 * places[i], &two, sizeof two));
    static const subwave_order orders[] = {SUBWAVE_ORDER_FIXED, SUBWAVE_ORDER_DEVICE};
    for (size_t o = 0; o < 2; ++o) {
        uint16_t sum = 0, norm = 0;
        assert_ok(context, subwave_dot(context, SUBWAVE_DTYPE_F16, SUBWAVE_CONJUGATION_NONE,
                                       orders[o], n, x, x, SUBWAVE_PLACE_HOST, &sum));
        assert_int_equal(sum, 0x4c00); /* 16 */
        assert_ok(context, subwave_norm2(context, SUBWAVE_DTYPE_F16, orders[o], n, x,
                                         SUBWAVE_PLACE_HOST, &norm));
        assert_int_equal(norm, 0x4400); /* 4 */
    }
    assert_ok(context, subwave_free(context, x));
}

/* A segment of a few elements, one across element 2^31, one of none, and one of the last. */
static void test_segments(void **state)
{
    subwave_context *context = *state;
    const int64_t n = COUNT_OF_BYTES, half = (int64_t)1 << 31,
                  offsets[] = {0, 5, half + 7, half + 7, n};
    enum { SEGMENTS = 4 };
    unsigned char *const x = filled(context, n, 0), *const y = filled(context, n, 99);
    void *on_device;
    if (!x || !y)
        skip();
    put(context, x, 3, 1);
    put(context, x, 5, 2);
    put(context, x, half, 3);
    put(context, x, half + 7, 4);
    put(context, x, n - 1, 5);
    assert_ok(context, subwave_malloc(context, &on_device, sizeof offsets));
    assert_ok(context, subwave_copy(context, on_device, offsets, sizeof offsets));
    assert_ok(context, subwave_segmented_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
                                                SUBWAVE_DTYPE_I64, SEGMENTS, on_device, n, x, y));
    unsigned char sums[SEGMENTS + 1];
    assert_ok(context, subwave_copy(context, sums, y, sizeof sums));
    const unsigned char right[SEGMENTS + 1] = {1, 5, 0, 9, 99};
    assert_memory_equal(sums, right, sizeof sums);
    assert_ok(context, subwave_segmented_scan(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS,
                                              SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_DTYPE_I64, SEGMENTS,
                                              on_device, n, x, y));
    const struct {
        int64_t at;
        unsigned char sum;
    } results[] = {{0, 0},        {3, 1},     {4, 1},        {5, 2},
                   {half - 1, 2}, {half, 5},  {half + 6, 5}, {half + 7, 4},
                   {half + 8, 4}, {n - 2, 4}, {n - 1, 9}};
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
        assert_int_equal(get(context, y, results[i].at), results[i].sum);
    assert_ok(context, subwave_free(context, on_device));
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
}

/* The elements of the two that are not 0 lie far apart, and elsewhere when they are transposed. */
static void test_transpose(void **state)
{
    subwave_context *context = *state;
    const int64_t rows = 65539, columns = 32771, n = rows * columns;
    unsigned char *const x = filled(context, n, 0), *const y = filled(context, n, 99);
    if (!x || !y)
        skip();
    put(context, x, 2 * columns + 32770, 1);
    put(context, x, 65538 * columns + 1, 2);
    assert_ok(context, subwave_transpose(context, SUBWAVE_DTYPE_U8, SUBWAVE_LAYOUT_ROW_MAJOR, rows,
                                         columns, x, columns, y, rows));
    assert_int_equal(get(context, y, 32770 * rows + 2), 1);
    assert_int_equal(get(context, y, rows + 65538), 2);
    uint8_t sum = 0;
    assert_ok(context, subwave_reduce(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_ANY,
                                      n, NULL, y, SUBWAVE_PLACE_HOST, &sum));
    assert_int_equal(sum, 3);
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free(context, x));
}

/* Nearly all to one cell, the last to another. */
static void test_scatter_add(void **state)
{
    subwave_context *context = *state;
    const int64_t n = COUNT_OF_BYTES;
    const uint32_t third = 2, one = 0x01010101;
    unsigned char *const ones = filled(context, 4 * n, 1), *const indices =
                                                               filled(context, 4 * n, 0);
    uint32_t y[3] = {7, 8, 9}, *on_device;
    if (!ones || !indices)
        skip();
    assert_ok(context, subwave_copy(context, indices + 4 * (n - 1), &third, sizeof third));
    assert_ok(context, subwave_malloc(context, (void **)&on_device, sizeof y));
    assert_ok(context, subwave_copy(context, on_device, y, sizeof y));
    assert_ok(context, subwave_scatter_add(context, SUBWAVE_DTYPE_U32, SUBWAVE_ORDER_ANY, n,
                                           SUBWAVE_DTYPE_I32, indices, ones, 3, on_device));
    assert_ok(context, subwave_copy(context, y, on_device, sizeof y));
    assert_int_equal(y[0], 7 + one * (uint32_t)(n - 1));
    assert_int_equal(y[1], 8);
    assert_int_equal(y[2], 9 + one);
    assert_ok(context, subwave_free(context, on_device));
    assert_ok(context, subwave_free(context, indices));
    assert_ok(context, subwave_free(context, ones));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot_and_norm2),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_scatter_add),
    };
    return harness_run("large", tests, sizeof tests / sizeof *tests);
}
