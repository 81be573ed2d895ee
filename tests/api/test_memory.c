/* SPDX-License-Identifier: MIT
 * test_memory.c: memory that is filled, copied in stream order, row by row and with the host
 * pinned, and allocated in stream order.
 */
#include "../harness.h"
#include "../types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- fill ------------------------------------------------------------------------------------ */

static void fill_one(guarded *memory, subwave_dtype dtype, int64_t n, size_t alignment)
{
    static unsigned char before[100000], after[sizeof before];
    subwave_context *const context = memory->context;
    const size_t size = subwave_dtype_size(dtype), bytes = (size_t)n * size;
    unsigned char value[17];
    assert_true(bytes <= sizeof before);
    for (size_t i = 0; i < sizeof value; ++i)
        value[i] = (unsigned char)(0x11 * i + 1 + (size_t)dtype);
    memset(before, 0xee, bytes);
    guarded_reset(memory, alignment, before, bytes);
    assert_ok(context, subwave_fill(context, dtype, value + 1, n, guarded_pointer(memory)));
    memset(value, 0, sizeof value); /* it was read during the call */
    assert_int_equal(guarded_read(memory, after), 0);
    for (size_t i = 0; i < bytes; ++i)
        if (after[i] != (unsigned char)(0x11 * (i % size + 1) + 1 + (size_t)dtype))
            fail_msg("byte %zu of %d elements of %s at a multiple of %zu is %#x", i, (int)n,
                     subwave_dtype_name(dtype), alignment, after[i]);
}

/* Up to several blocks of packs, at every multiple of an element. */
static void test_fill(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 255, 257, 4097, 5000};
    guarded memory = {.context = *state};
    for (size_t d = 0; d < COUNT(all_dtypes); ++d) {
        const size_t part =
            subwave_dtype_size(all_dtypes[d]) / (all_dtypes[d] >= SUBWAVE_DTYPE_C32 ? 2 : 1);
        for (size_t s = 0; s < COUNT(sizes); ++s)
            for (size_t alignment = part; alignment <= 16; alignment *= 2)
                fill_one(&memory, all_dtypes[d], sizes[s], alignment);
    }
    for (size_t at = 0; at < 16; ++at) /* bytes from any address to any */
        for (int64_t n = 1; n < 40; ++n) {
            static unsigned char zeros[64], found[64];
            guarded_reset(&memory, 16, zeros, sizeof zeros);
            assert_ok(*state, subwave_fill(*state, SUBWAVE_DTYPE_U8, &(uint8_t){9}, n,
                                           (char *)guarded_pointer(&memory) + at));
            assert_int_equal(guarded_read(&memory, found), 0);
            for (size_t i = 0; i < sizeof found; ++i)
                assert_int_equal(found[i], i >= at && i < at + (size_t)n ? 9 : 0);
        }
    guarded_destroy(&memory);
}

/* --- copies ---------------------------------------------------------------------------------- */

enum { BYTES = 100003 };

static unsigned char byte_of(size_t i) { return (unsigned char)(i * 7 + i / 256 * 5 + 3); }

/* To the device, across it and back with one wait, all between memory of the host that is
 * pinned. */
static void test_copy_async(void **state)
{
    subwave_context *const context = *state;
    unsigned char *there, *back;
    void *x, *y;
    assert_ok(context, subwave_malloc_host(context, (void **)&there, BYTES));
    assert_ok(context, subwave_malloc_host(context, (void **)&back, BYTES));
    assert_ok(context, subwave_malloc(context, &x, BYTES));
    assert_ok(context, subwave_malloc(context, &y, BYTES));
    for (int turn = 0; turn < 3; ++turn) {
        for (size_t i = 0; i < BYTES; ++i) {
            there[i] = byte_of(i + (size_t)turn);
            back[i] = 0xee;
        }
        assert_ok(context, subwave_copy_async(context, x, there, BYTES));
        assert_ok(context, subwave_copy_async(context, y, (char *)x + 1, BYTES - 1));
        assert_ok(context, subwave_copy_async(context, back + 1, y, BYTES - 1));
        assert_ok(context, subwave_copy_async(context, NULL, NULL, 0));
        assert_ok(context, subwave_synchronize(context));
        assert_int_equal(back[0], 0xee);
        for (size_t i = 1; i < BYTES; ++i)
            assert_int_equal(back[i], byte_of(i + (size_t)turn));
    }
    /* From memory that is not pinned as well. */
    static unsigned char plain[BYTES], returned[BYTES];
    for (size_t i = 0; i < BYTES; ++i)
        plain[i] = byte_of(i * 3);
    assert_ok(context, subwave_copy_async(context, x, plain, BYTES));
    assert_ok(context, subwave_copy_async(context, returned, x, BYTES));
    assert_ok(context, subwave_synchronize(context));
    assert_memory_equal(returned, plain, BYTES);
    assert_ok(context, subwave_free(context, x));
    assert_ok(context, subwave_free(context, y));
    assert_ok(context, subwave_free_host(context, there));
    assert_ok(context, subwave_free_host(context, back));
}

/* Rows of `width` bytes from one array to another on the device, and to and from the host. */
static void copy_rows(guarded *from, guarded *to, int64_t width, int64_t height, int64_t gap_from,
                      int64_t gap_to, bool waits)
{
    static unsigned char source[20000], before[20000], after[20000];
    subwave_context *const context = from->context;
    const int64_t pitch_from = width + gap_from, pitch_to = width + gap_to;
    const size_t bytes_from = (size_t)((height - 1) * pitch_from + width),
                 bytes_to = (size_t)((height - 1) * pitch_to + width);
    assert_true(bytes_from <= sizeof source && bytes_to <= sizeof after);
    subwave_status (*const copy)(subwave_context *, void *, int64_t, const void *, int64_t, int64_t,
                                 int64_t) = waits ? subwave_copy_2d : subwave_copy_2d_async;
    for (size_t i = 0; i < bytes_from; ++i)
        source[i] = byte_of(i);
    memset(before, 0xee, sizeof before);
    for (int way = 0; way < 3; ++way) { /* device to device, host to device, device to host */
        guarded_reset(from, 0, source, bytes_from);
        guarded_reset(to, 0, before, bytes_to);
        memset(after, 0xee, sizeof after);
        assert_ok(context,
                  copy(context, way == 2 ? after : guarded_pointer(to), pitch_to,
                       way == 1 ? source : guarded_pointer(from), pitch_from, width, height));
        if (!waits)
            assert_ok(context, subwave_synchronize(context));
        assert_int_equal(guarded_changes(from), 0);
        if (way == 2)
            assert_int_equal(guarded_changes(to), 0);
        else
            assert_int_equal(guarded_read(to, after), 0);
        for (int64_t i = 0; i < (int64_t)bytes_to; ++i) {
            const int64_t row = i / pitch_to, column = i % pitch_to;
            assert_int_equal(after[i], column < width ? source[row * pitch_from + column] : 0xee);
        }
    }
}

static void test_copy_2d(void **state)
{
    static const int64_t shapes[][4] = {{1, 1, 0, 0},     {5, 1, 3, 7},     {1, 9, 3, 0},
                                        {7, 5, 0, 0},     {7, 5, 0, 4},     {7, 5, 4, 0},
                                        {16, 16, 16, 48}, {100, 33, 1, 28}, {4, 300, 12, 60}};
    guarded from = {.context = *state}, to = {.context = *state};
    for (size_t s = 0; s < COUNT(shapes); ++s)
        for (int waits = 0; waits < 2; ++waits)
            copy_rows(&from, &to, shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3], waits);
    guarded_reset(&to, 0, "nothing", 8);
    assert_ok(*state, subwave_copy_2d(*state, guarded_pointer(&to), 1, NULL, 1, 0, 5));
    assert_ok(*state, subwave_copy_2d(*state, guarded_pointer(&to), 8, NULL, 8, 5, 0));
    assert_int_equal(guarded_changes(&to), 0);
    guarded_destroy(&from);
    guarded_destroy(&to);
}

/* --- allocation ------------------------------------------------------------------------------ */

static void test_malloc_host(void **state)
{
    static const int64_t sizes[] = {1, 255, 4096, 1000003};
    void *pointer = &pointer;
    assert_ok(*state, subwave_malloc_host(*state, &pointer, 0));
    assert_null(pointer);
    assert_ok(*state, subwave_free_host(*state, NULL));
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        assert_ok(*state, subwave_malloc_host(*state, &pointer, sizes[i]));
        assert_int_equal((uintptr_t)pointer % 256, 0);
        memset(pointer, 0x5a, (size_t)sizes[i]);
        assert_ok(*state, subwave_free_host(*state, pointer));
    }
}

/* Memory that is freed while work on it is queued serves the next call, whose work follows. */
static void test_malloc_async(void **state)
{
    enum { N = 5000, TURNS = 20 };
    subwave_context *const context = *state;
    subwave_device_properties device;
    assert_ok(context, subwave_context_info(context, &device));
    void *pointer = &pointer;
    assert_ok(context, subwave_malloc_async(context, &pointer, 0));
    assert_null(pointer);
    assert_ok(context, subwave_free_async(context, NULL));
    const subwave_status status = subwave_malloc_async(context, &pointer, 8);
    if (status == SUBWAVE_STATUS_UNSUPPORTED) {
        assert_null(pointer);
        assert_non_null(strstr(subwave_last_error(context), device.id));
        print_message("skipped: %s\n", subwave_last_error(context));
        skip();
    }
    assert_ok(context, status);
    assert_ok(context, subwave_free_async(context, pointer));

    uint32_t *found;
    assert_ok(context, subwave_malloc_host(context, (void **)&found, TURNS * N * sizeof *found));
    for (uint32_t turn = 0; turn < TURNS; ++turn) {
        void *x;
        assert_ok(context, subwave_malloc_async(context, &x, N * sizeof *found));
        assert_int_equal((uintptr_t)x % 256, 0);
        assert_ok(context, subwave_fill(context, SUBWAVE_DTYPE_U32, &turn, N, x));
        assert_ok(context, subwave_copy_async(context, found + turn * N, x, N * sizeof *found));
        assert_ok(context, subwave_free_async(context, x));
    }
    assert_ok(context, subwave_synchronize(context));
    for (uint32_t i = 0; i < TURNS * N; ++i)
        assert_int_equal(found[i], i / N);

    /* From one context, to another one that waits and frees it; and to subwave_free. */
    subwave_context *other;
    subwave_event *event;
    assert_ok(NULL, subwave_context_create(&other, device.id));
    assert_ok(context, subwave_event_create(context, &event));
    for (int turn = 0; turn < 2; ++turn) {
        const uint32_t value = 77 + (uint32_t)turn;
        assert_ok(context, subwave_malloc_async(context, &pointer, N * sizeof *found));
        assert_ok(context, subwave_fill(context, SUBWAVE_DTYPE_U32, &value, N, pointer));
        assert_ok(context, subwave_event_record(context, event));
        assert_ok(other, subwave_event_wait(other, event));
        assert_ok(other, subwave_copy_async(other, found, pointer, N * sizeof *found));
        assert_ok(other, turn ? subwave_free(other, pointer) : subwave_free_async(other, pointer));
        assert_ok(other, subwave_synchronize(other));
        for (int i = 0; i < N; ++i)
            assert_int_equal(found[i], value);
    }
    assert_ok(other, subwave_event_destroy(other, event));
    assert_ok(NULL, subwave_context_destroy(&other));
    assert_ok(context, subwave_free_host(context, found));
}

static void test_memory_info(void **state)
{
    int64_t unused = -1, total = -1;
    assert_ok(*state, subwave_memory_info(*state, &unused, &total));
    assert_true(total > 0 && unused >= 0 && unused <= total);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill),         cmocka_unit_test(test_copy_async),
        cmocka_unit_test(test_copy_2d),      cmocka_unit_test(test_malloc_host),
        cmocka_unit_test(test_malloc_async), cmocka_unit_test(test_memory_info),
    };
    return harness_run("memory", tests, sizeof tests / sizeof *tests);
}
