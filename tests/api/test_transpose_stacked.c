/* SPDX-License-Identifier: MIT
 * test_transpose_stacked.c: matrices of a list transposed where they are, element by element: every
 * size of elements, shapes of waves and of blocks, both orders, offsets of both sizes and bases; bad
 * arguments.
 */
#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <stdlib.h>
#include <string.h>

/* Elements of every size, and a complex type that is aligned as its parts. */
static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I8,  SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_F32,
                                       SUBWAVE_DTYPE_C32, SUBWAVE_DTYPE_I64,  SUBWAVE_DTYPE_C64};

static int cases;

/* Of `entries` + 2 matrices, with a gap of an element between them, all but two are transposed. */
static void check(subwave_context *context, subwave_dtype dtype, subwave_layout layout, int m,
                  int n, int entries, bool wide, int base, harness_random *random)
{
    const size_t size = subwave_dtype_size(dtype), count = (size_t)m * (size_t)n,
                 bytes = (count + 1) * (size_t)(entries + 2) * size;
    unsigned char *const before = malloc(bytes), *const wanted = malloc(bytes),
                         *const found = malloc(bytes);
    char *const offsets = malloc((size_t)entries * 8 + 1);
    assert_true(before && wanted && found && offsets);
    for (size_t i = 0; i < bytes; ++i)
        before[i] = (unsigned char)harness_random_bits(random);
    memcpy(wanted, before, bytes);
    const int rows = layout == SUBWAVE_LAYOUT_ROW_MAJOR ? m : n, columns = m + n - rows;
    for (int e = 0; e < entries; ++e) {
        const int64_t at = (int64_t)(count + 1) * (entries - e); /* from the last to the second */
        const int64_t offset = at + base;
        const int32_t narrow = (int32_t)offset;
        memcpy(offsets + (size_t)e * (wide ? 8 : 4),
               wide ? (const void *)&offset : (const void *)&narrow, wide ? 8 : 4);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                memcpy(wanted + ((size_t)at + (size_t)(j * rows + i)) * size,
                       before + ((size_t)at + (size_t)(i * columns + j)) * size, size);
    }
    guarded x = {.context = context}, list = {.context = context};
    guarded_reset(&x, subwave_dtype_size(reference_part(dtype)), before, bytes);
    guarded_reset(&list, wide ? 8 : 4, offsets, (size_t)entries * (wide ? 8 : 4));
    assert_ok(context, subwave_transpose_stacked(context, dtype, layout, m, n, guarded_pointer(&x),
                                                 wide ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32, base,
                                                 guarded_pointer(&list), entries));
    assert_ok(context, subwave_synchronize(context));
    assert_int_equal(guarded_read(&x, found), 0);
    assert_int_equal(guarded_changes(&list), 0);
    if (memcmp(found, wanted, bytes) != 0)
        fail_msg("%s, %d x %d, %s, %d entries, %s offsets from %d: elements are wrong",
                 subwave_dtype_name(dtype), m, n,
                 layout == SUBWAVE_LAYOUT_ROW_MAJOR ? "rows" : "columns", entries,
                 wide ? "wide" : "narrow", base);
    guarded_destroy(&x);
    guarded_destroy(&list);
    free(before);
    free(wanted);
    free(found);
    free(offsets);
    ++cases;
}

static void test_shapes(void **state)
{
    /* Of a wave up to 6 KiB, of a block up to 64 KiB: the last is the largest of 16 bytes. */
    static const int shapes[][3] = {{0, 3, 2},   {1, 1, 3},    {1, 9, 3},   {9, 1, 3},
                                    {2, 3, 70},  {4, 4, 33},   {5, 32, 9},  {31, 3, 9},
                                    {16, 16, 5}, {23, 23, 11}, {26, 13, 7}, {64, 11, 3},
                                    {45, 63, 3}, {63, 64, 2},  {2, 1, 0},   {3, 1023, 2}};
    harness_random random = harness_random_start();
    for (size_t s = 0; s < COUNT(shapes); ++s)
        for (size_t d = 0; d < COUNT(dtypes); ++d)
            for (int form = 0; form < 4; ++form)
                check(*state, dtypes[d],
                      form % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR,
                      form / 2 ? shapes[s][1] : shapes[s][0],
                      form / 2 ? shapes[s][0] : shapes[s][1], shapes[s][2], (s + d) % 2,
                      (int)(s + d / 2) % 2, &random);
    check(*state, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_COLUMN_MAJOR, 80, 80, 3, false, 1, &random);
    check(*state, SUBWAVE_DTYPE_I8, SUBWAVE_LAYOUT_ROW_MAJOR, 256, 255, 2, false, 0, &random);
    check(*state, SUBWAVE_DTYPE_C64, SUBWAVE_LAYOUT_ROW_MAJOR, 63, 63, 2, true, 0, &random);
}

/* Matrices of more than 64 KiB, whose elements are moved in 2 or 4 parts, or byte by byte. */
static void test_parts(void **state)
{
    static const struct {
        subwave_dtype dtype;
        int m, n;
    } large[] = {{SUBWAVE_DTYPE_C64, 64, 64},   {SUBWAVE_DTYPE_C64, 80, 78},
                 {SUBWAVE_DTYPE_C64, 90, 90},   {SUBWAVE_DTYPE_C64, 91, 92},
                 {SUBWAVE_DTYPE_F64, 90, 91},   {SUBWAVE_DTYPE_F64, 91, 91},
                 {SUBWAVE_DTYPE_F32, 128, 128}, {SUBWAVE_DTYPE_U16, 256, 255},
                 {SUBWAVE_DTYPE_C32, 255, 257}};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < COUNT(large); ++i)
        for (int form = 0; form < 2; ++form)
            check(*state, large[i].dtype,
                  form ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR,
                  form ? large[i].n : large[i].m, form ? large[i].m : large[i].n, 2, false, 0,
                  &random);
}

/* More entries than a grid has blocks, where limits are small, and many at once. */
static void test_entries(void **state)
{
    static const int counts[] = {1, 2, 7, 64, 255, 2000};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < COUNT(counts); ++i)
        check(*state, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR, 3, 5, counts[i], i % 2, 0,
              &random);
}

/* Each is refused with a text that names the parameter, and x is not touched. */
static void test_bad_arguments(void **state)
{
    double memory[64] = {0};
    const int64_t offsets[2] = {0};
    guarded x = guarded_create(*state, memory, sizeof memory);
    const struct arguments {
        subwave_dtype dtype;
        subwave_layout layout;
        int64_t m, n;
        void *x;
        subwave_dtype offset_dtype;
        int32_t base;
        const void *offsets;
        int64_t entries;
    } right = {SUBWAVE_DTYPE_F64,
               SUBWAVE_LAYOUT_ROW_MAJOR,
               3,
               4,
               guarded_pointer(&x),
               SUBWAVE_DTYPE_I64,
               0,
               offsets,
               1};
#define CALL(context, a) \
    subwave_transpose_stacked(context, (a).dtype, (a).layout, (a).m, (a).n, (a).x, \
                              (a).offset_dtype, (a).base, (a).offsets, (a).entries)
#define BAD(field, value, expected) \
    do { \
        struct arguments a = right; \
        a.field = value; \
        assert_int_equal(CALL(*state, a), SUBWAVE_STATUS_##expected); \
        assert_true(harness_refused(*state, SUBWAVE_STATUS_##expected, #field)); \
        ++cases; \
    } while (0)
    BAD(dtype, 0, INVALID_VALUE);
    BAD(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1, INVALID_VALUE);
    BAD(layout, 3, INVALID_VALUE);
    BAD(m, -1, INVALID_SIZE);
    BAD(n, INT64_MIN, INVALID_SIZE);
    BAD(m, 13108, INVALID_SIZE); /* rows of 4 have a pitch of 5 */
    BAD(n, INT64_MAX, INVALID_SIZE);
    BAD(offset_dtype, 0, INVALID_VALUE);
    BAD(offset_dtype, SUBWAVE_DTYPE_F64, UNSUPPORTED);
    BAD(base, -1, INVALID_VALUE);
    BAD(base, 2, INVALID_VALUE);
    BAD(entries, -1, INVALID_SIZE);
    BAD(entries, (1 << 28) + 1, INVALID_SIZE);
    BAD(x, NULL, INVALID_POINTER);
    BAD(x, (char *)memory + 4, INVALID_POINTER);
    BAD(offsets, NULL, INVALID_POINTER);
    BAD(offsets, (const char *)offsets + 4, INVALID_POINTER);
#undef BAD
    assert_int_equal(CALL(NULL, right), SUBWAVE_STATUS_INVALID_CONTEXT);
#undef CALL
    assert_int_equal(guarded_changes(&x), 0);
    guarded_destroy(&x);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d lists checked\n", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_entries), cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_count),
    };
    return harness_run("transpose_stacked", tests, sizeof tests / sizeof *tests);
}
