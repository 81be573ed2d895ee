/* SPDX-License-Identifier: MIT
 * test_no_gpu.c: what every function of the library answers where there is no GPU (CTest hides
 * those that there are): wishes for one are refused, calls on the context that was not made as
 * well, and without a wish the CPU device does the work.
 */
#include "../harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char asked[128][48]; /* functions, once each */
static int asked_count;

static void ask(const char *function)
{
    for (int i = 0; i < asked_count; ++i)
        if (strcmp(asked[i], function) == 0)
            return;
    assert_true(asked_count < 128);
    snprintf(asked[asked_count++], sizeof asked[0], "%s", function);
}

static void answers(const char *function, subwave_status status, subwave_status expected,
                    const subwave_context *context)
{
    ask(function);
    if (status == expected)
        return;
    print_error("%s gave %s, \"%s\"; it should be %s\n", function, subwave_status_name(status),
                subwave_last_error(context), subwave_status_name(expected));
    fail();
}
#define ANSWERS(expected, context, function, ...) \
    answers(#function, function(__VA_ARGS__), expected, context)

static void says(const char *function, const char *text, const char *part)
{
    ask(function);
    if (text && strstr(text, part))
        return;
    print_error("%s gave \"%s\", without \"%s\"\n", function, text ? text : "(null)", part);
    fail();
}
#define SAYS(part, function, ...) says(#function, function(__VA_ARGS__), part)

static void test_texts(void **state)
{
    (void)state;
    SAYS(SUBWAVE_VERSION_STRING, subwave_version, );
    SAYS("CPU device", subwave_build_info, );
    SAYS("NO_DEVICE", subwave_status_name, SUBWAVE_STATUS_NO_DEVICE);
    SAYS("no such device", subwave_status_text, SUBWAVE_STATUS_NO_DEVICE);
    SAYS("f64", subwave_dtype_name, SUBWAVE_DTYPE_F64);
    SAYS("auto", subwave_variant_name, SUBWAVE_VARIANT_AUTO);
    SAYS("ballot", subwave_group_kind_name, SUBWAVE_GROUP_BALLOT);
    SAYS("plus", subwave_op_name, SUBWAVE_OP_PLUS);
    SAYS("fixed", subwave_order_name, SUBWAVE_ORDER_FIXED);
    SAYS("first", subwave_conjugation_name, SUBWAVE_CONJUGATION_FIRST);
    SAYS("inclusive", subwave_scan_kind_name, SUBWAVE_SCAN_INCLUSIVE);
    SAYS("less", subwave_comparison_name, SUBWAVE_COMPARISON_LESS);
    ask("subwave_dtype_size");
    assert_int_equal(subwave_dtype_size(SUBWAVE_DTYPE_F64), 8);
}

static void test_devices(void **state)
{
    (void)state;
    int count = -1;
    ANSWERS(SUBWAVE_STATUS_SUCCESS, NULL, subwave_device_count, &count);
    assert_int_equal(count, 5); /* the CPU device's waves alone */
    subwave_device_properties device;
    ANSWERS(SUBWAVE_STATUS_SUCCESS, NULL, subwave_device_info, 0, &device);
    assert_string_equal(device.id, "cpu:64");
    ANSWERS(SUBWAVE_STATUS_NO_DEVICE, NULL, subwave_device_info, 5, &device);
}

/* Every function that takes a context, with arguments that a device could work on. */
static void ask_all(subwave_context *context, subwave_status expected)
{
#define ASK(function, ...) ANSWERS(expected, context, function, context, __VA_ARGS__)
    double one = 1, x = 2, y = 3, sum = 0, upto = 0, product = 0, norm = 0, least = 0, of_row = 0,
           in_row = 0, moved = 0, greatest_of_row = 0, kept[5] = {0}, others = 0, of_segment = 0,
           in_segment = 0, added = 1, weights[2] = {0}, queue[2] = {0}, filled = 0, elapsed = -1,
           accumulated = 1, of_list = 0, at_points[2] = {0};
    int64_t where = -1, place = -1, counts[5] = {0}, queued = 0;
    const double boundaries[] = {0, 4};
    const int64_t offsets[] = {0, 1}, stack[] = {0, 0, 0};
    const void *const matrices[] = {&x};
    void *const results[] = {&y}, *const of_lists[] = {&of_list};
    const int64_t unit[] = {1};
    uint8_t flag = 1, vote = 0;
    uint32_t id = 0;
    void *memory = NULL, *stream = NULL;
    int64_t size = 0, total = 0;
    subwave_event *event = NULL;
    bool reached = false;
    subwave_device_properties device;
    subwave_matmul_plan_info plan;
    subwave_group_item item;
    const subwave_group group = {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {1, 1, 1}};
    const subwave_dtype f64 = SUBWAVE_DTYPE_F64;
    ASK(subwave_context_info, &device);
    ASK(subwave_get_stream, &stream);
    ASK(subwave_set_stream, stream);
    ASK(subwave_stream_create, &stream, SUBWAVE_PRIORITY_HIGH);
    ASK(subwave_stream_destroy, stream);
    ASK(subwave_event_create, &event);
    ASK(subwave_event_record, event);
    ASK(subwave_event_wait, event);
    ASK(subwave_event_query, event, &reached);
    ASK(subwave_event_synchronize, event);
    ASK(subwave_event_elapsed, event, event, &elapsed);
    ASK(subwave_event_destroy, event);
    ASK(subwave_workspace_size, &size);
    ASK(subwave_set_workspace, NULL, 0);
    ASK(subwave_malloc, &memory, 8);
    ASK(subwave_copy, &y, &x, 8);
    ASK(subwave_free, memory);
    ASK(subwave_malloc_host, &memory, 8);
    ASK(subwave_free_host, memory);
    ASK(subwave_malloc_async, &memory, 8);
    ASK(subwave_free_async, memory);
    ASK(subwave_memory_info, &size, &total);
    ASK(subwave_copy_async, &y, &x, 8);
    ASK(subwave_copy_2d, &y, 8, &x, 8, 8, 1);
    ASK(subwave_copy_2d_async, &y, 8, &x, 8, 8, 1);
    ASK(subwave_fill, f64, &x, 1, &filled);
    ASK(subwave_matmul, SUBWAVE_VARIANT_AUTO, f64, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
        SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, &x, 1, &x, 1, &one, &y, 1);
    ASK(subwave_matmul_plan, SUBWAVE_VARIANT_AUTO, f64, SUBWAVE_LAYOUT_ROW_MAJOR,
        SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &plan);
    ASK(subwave_matmul_strided_batched, f64, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
        SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, &x, 1, 1, &x, 1, 1, &one, &y, 1, 1, 1);
    ASK(subwave_matmul_batched, f64, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
        SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, matrices, 1, matrices, 1, &one, results, 1, 1);
    ASK(subwave_matmul_stacked, f64, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
        SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, &x, 1, &x, 1, &one, &accumulated, 1,
        SUBWAVE_DTYPE_I64, 0, stack, 1);
    ASK(subwave_matmul_grouped, f64, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
        SUBWAVE_TRANSPOSE_NONE, unit, unit, unit, &one, matrices, unit, matrices, unit, &one,
        of_lists, unit, 1);
    ASK(subwave_tensor_apply, f64, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, &y, NULL, NULL, &x, 1, 1,
        &one, &at_points[0], 1, 1, 1, 1);
    ASK(subwave_tensor_gradient, f64, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one, NULL, &y, &x, 1, 1,
        &one, &at_points[1], 1, 1, 1, 1, 1);
    ASK(subwave_group_reduce, f64, SUBWAVE_OP_PLUS, &group, 1, NULL, &x, &y);
    ASK(subwave_group_scan, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, &group, 1, NULL, &x, &y);
    ASK(subwave_group_broadcast, f64, &group, 1, 0, &x, &y);
    ASK(subwave_group_shift, f64, SUBWAVE_SHIFT_LEFT, &group, 1, 0, &x, &y);
    ASK(subwave_group_permute, f64, &group, 1, 0, &x, &y);
    ASK(subwave_group_select, f64, &group, 1, &id, &x, &y);
    ASK(subwave_group_vote, SUBWAVE_VOTE_ANY, &group, 1, &flag, &vote);
    ASK(subwave_group_info, &group, 1, &item);
    ASK(subwave_reduce, f64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED, 1, &one, &x, SUBWAVE_PLACE_HOST,
        &sum);
    ASK(subwave_scan, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_ORDER_FIXED, 1, &one,
        &x, &upto);
    ASK(subwave_dot, f64, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED, 1, &x, &x,
        SUBWAVE_PLACE_HOST, &product);
    ASK(subwave_norm2, f64, SUBWAVE_ORDER_FIXED, 1, &x, SUBWAVE_PLACE_HOST, &norm);
    ASK(subwave_transpose, f64, SUBWAVE_LAYOUT_ROW_MAJOR, 1, 1, &x, 1, &moved, 1);
    ASK(subwave_transpose_strided_batched, f64, SUBWAVE_LAYOUT_ROW_MAJOR, 1, 1, &x, 1, 1, &moved, 1,
        1, 1);
    ASK(subwave_transpose_stacked, f64, SUBWAVE_LAYOUT_ROW_MAJOR, 1, 1, &moved, SUBWAVE_DTYPE_I64,
        0, stack, 1);
    ASK(subwave_row_reduce, f64, SUBWAVE_OP_PLUS, 1, 1, &x, 1, &of_row);
    ASK(subwave_row_scan, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, 1, 1, &x, 1, &in_row, 1);
    ASK(subwave_row_minmax_index, f64, SUBWAVE_OP_MAXIMUM, 1, 1, &x, 1, &greatest_of_row, &place);
    ASK(subwave_histogram, f64, 1, 0, 1, 1, &x, &where);
    ASK(subwave_histogram_by_boundaries, f64, 1, &x, 1, &x, &where);
    ASK(subwave_histogram_weighted, f64, SUBWAVE_ORDER_FIXED, 1, 0, 4, 1, &x, &x, &weights[0]);
    ASK(subwave_histogram_by_boundaries_weighted, f64, SUBWAVE_ORDER_ANY, 1, boundaries, 1, &x, &x,
        &weights[1]);
    ASK(subwave_minmax_index, f64, SUBWAVE_OP_MINIMUM, 1, &x, SUBWAVE_PLACE_HOST, &least, &where);
    ASK(subwave_compact, f64, 1, &flag, &x, &kept[0], &counts[0]);
    ASK(subwave_compact_if, f64, SUBWAVE_COMPARISON_EQUAL, &x, 1, &x, &kept[1], &counts[1]);
    ASK(subwave_partition, f64, 1, &flag, &x, &kept[2], &others, &counts[2]);
    ASK(subwave_partition_if, f64, SUBWAVE_COMPARISON_EQUAL, &x, 1, &x, &kept[3], &others,
        &counts[3]);
    ASK(subwave_unique, f64, 1, &x, &kept[4], &counts[4]);
    ASK(subwave_append, f64, 1, &flag, &x, 2, queue, &queued);
    ASK(subwave_append_if, f64, SUBWAVE_COMPARISON_EQUAL, &x, 1, &x, 2, queue, &queued);
    ASK(subwave_segmented_reduce, f64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, 1, offsets, 1, &x,
        &of_segment);
    ASK(subwave_segmented_scan, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_DTYPE_I64, 1,
        offsets, 1, &x, &in_segment);
    ASK(subwave_scatter_add, f64, SUBWAVE_ORDER_FIXED, 1, SUBWAVE_DTYPE_I64, offsets, &x, 1,
        &added);
    ANSWERS(expected, context, subwave_synchronize, context);
    for (int i = 0; context && i < 5; ++i)
        assert_true(counts[i] == 1 && kept[i] == 2);
#undef ASK
    if (context)
        assert_true(strcmp(device.backend, "cpu") == 0 && y == 2 && vote == 1 && sum == 3 &&
                    upto == 3 && product == 4 && norm == 2 && least == 2 && where == 0 &&
                    moved == 2 && of_row == 2 && in_row == 2 && greatest_of_row == 2 &&
                    place == 0 && of_segment == 2 && in_segment == 2 && added == 3 &&
                    weights[0] == 2 && weights[1] == 2 && queued == 2 && queue[0] == 2 &&
                    queue[1] == 2 && filled == 2 && reached && elapsed == 0 && total > 0);
}

static void test_wishes(void **state)
{
    (void)state;
    static const char *const wishes[] = {"gpu", "gpu:0", "gpu:7"};
    for (size_t i = 0; i < 2 * sizeof wishes / sizeof *wishes; ++i) {
        const char *wish = wishes[i / 2];
        if (i % 2)
            setenv("SUBWAVE_DEVICE", wish, 1);
        subwave_context *context = (subwave_context *)&context;
        ANSWERS(SUBWAVE_STATUS_NO_DEVICE, NULL, subwave_context_create, &context,
                i % 2 ? NULL : wish);
        unsetenv("SUBWAVE_DEVICE");
        assert_null(context);
        SAYS("there are 0 GPUs here", subwave_last_error, NULL);
        SAYS(i % 2 ? "SUBWAVE_DEVICE is" : "device is", subwave_last_error, NULL);
        ask("subwave_last_argument");
        assert_int_equal(subwave_last_argument(NULL), i % 2 ? 0 : 2);
        ask_all(context, SUBWAVE_STATUS_INVALID_CONTEXT);
        ANSWERS(SUBWAVE_STATUS_SUCCESS, NULL, subwave_context_destroy, &context);
    }
}

static void test_fallback(void **state)
{
    (void)state;
    subwave_context *context;
    ANSWERS(SUBWAVE_STATUS_SUCCESS, NULL, subwave_context_create, &context, NULL);
    ask_all(context, SUBWAVE_STATUS_SUCCESS);
    ANSWERS(SUBWAVE_STATUS_SUCCESS, NULL, subwave_context_destroy, &context);
}

/* The library's functions are the lines of SUBWAVE_ABI. */
static void test_every_function_was_asked(void **state)
{
    (void)state;
    FILE *abi = fopen(SUBWAVE_ABI, "r");
    assert_non_null(abi);
    char line[48];
    int functions = 0, missing = 0;
    while (fscanf(abi, "%47s", line) == 1) {
        int i = 0;
        while (i < asked_count && strcmp(asked[i], line) != 0)
            ++i;
        ++functions;
        if (i == asked_count) {
            print_error("%s is never called here: add it to ask_all()\n", line);
            ++missing;
        }
    }
    fclose(abi);
    assert_true(functions > 0);
    assert_int_equal(missing, 0);
    assert_int_equal(functions, asked_count);
}

int main(void)
{
    unsetenv("SUBWAVE_DEVICE");
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_every_function_was_asked),
    };
    return cmocka_run_group_tests_name("no GPU", tests, NULL, NULL);
}
