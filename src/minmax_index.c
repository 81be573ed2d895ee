/* SPDX-License-Identifier: MIT
 * minmax_index.c: subwave_minmax_index.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

subwave_status subwave_check_minmax(subwave_context *context, const char *what, subwave_op op,
                                    subwave_dtype dtype)
{
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_minmax_index, op, dtype));
    if (op != SUBWAVE_OP_MINIMUM && op != SUBWAVE_OP_MAXIMUM)
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "op is %s; %s takes minimum and maximum", subwave_op_name(op), what);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_minmax_index(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                    int64_t n, const void *x, subwave_place place, void *value,
                                    int64_t *index)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_minmax_index"));
    subwave_log_call(context, "subwave_minmax_index(dtype=%s, op=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), n);
    SUBWAVE_TRY(subwave_check_minmax(context, "minmax_index", op, dtype));
    SUBWAVE_TRY(subwave_check_place(context, place));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    const size_t size = subwave_dtype_size(dtype);
    if (n > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "value", value, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "index", index, sizeof *index));
    subwave_minmax_index_launch launch = {.op = op, .x = x, .index = index, .rows = 1};
    SUBWAVE_TRY(subwave_array_prepare(context, SUBWAVE_ORDER_DEVICE, n, size,
                                      SUBWAVE_INDEX_VALUE_BYTES, place, value, &launch.array,
                                      &launch.value));
    /* For the host, the index comes before the value. */
    struct {
        int64_t index;
        unsigned char value[8];
    } found;
    const void *const both = launch.value;
    if (place == SUBWAVE_PLACE_HOST) {
        launch.index = launch.value;
        launch.value = launch.index + 1;
    }
    if (n > 0)
        subwave_log_bench(context, "minmax_index --dtype %s --op %s --size %" PRId64,
                          subwave_dtype_name(dtype), subwave_op_name(op), n);
    SUBWAVE_TRY(subwave_launch(context, SUBWAVE_OPERATION_minmax_index, dtype, &launch,
                               "subwave_minmax_index"));
    SUBWAVE_TRY(subwave_array_finish(context, place, &found, both, sizeof found));
    if (place == SUBWAVE_PLACE_HOST) {
        memcpy(value, found.value, size);
        *index = found.index;
    }
    return SUBWAVE_STATUS_SUCCESS;
}
