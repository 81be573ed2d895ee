/* SPDX-License-Identifier: MIT
 * row_minmax_index.c: subwave_row_minmax_index.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>

/* How elements become keys: see subwave_row_minmax_index_launch. */
static void set_keys(subwave_dtype dtype, subwave_op op, subwave_row_minmax_index_launch *launch)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * subwave_dtype_size(dtype)), sign = all / 2 + 1;
    const subwave_dtype_class class_of = subwave_class_of(dtype);
    const bool is_float = class_of == SUBWAVE_CLASS_FLOAT, is_greatest = op == SUBWAVE_OP_MAXIMUM;
    uint64_t flip = class_of == SUBWAVE_CLASS_SIGNED ? sign : 0;
    if (is_greatest)
        flip ^= is_float ? sign : all;
    launch->most = all;
    launch->nothing = all ^ flip;
    if (is_float) {
        /* With the magnitude of negative numbers inverted, floats lie in a circle, on which
         * -infinity follows NaN: it becomes 0. */
        const uint64_t infinity = subwave_infinity(dtype);
        launch->negative = all / 2;
        launch->offset = infinity + 1;
        launch->most = 2 * (infinity + 1);
        launch->nothing = infinity ^ flip;
    }
    launch->flip = flip * (UINT64_MAX / all); /* in each of a word's elements */
}

subwave_status subwave_row_minmax_index(subwave_context *context, subwave_dtype dtype,
                                        subwave_op op, int64_t rows, int64_t length, const void *x,
                                        int64_t ldx, void *values, int64_t *indices)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_row_minmax_index"));
    subwave_log_call(context,
                     "subwave_row_minmax_index(dtype=%s, op=%s, rows=%" PRId64 ", length=%" PRId64
                     ", ldx=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), rows, length, ldx);
    SUBWAVE_TRY(subwave_check_minmax(context, "row_minmax_index", op, dtype));
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_check_rows(context, rows, length, "ldx", ldx, size));
    if (rows == 0)
        return SUBWAVE_STATUS_SUCCESS;
    if (length > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "values", values, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "indices", indices, sizeof *indices));
    subwave_row_minmax_index_launch launch = {
        .rows = rows, .length = length, .ldx = ldx, .x = x, .values = values, .indices = indices};
    const bool short_rows = subwave_row_minmax_prepare(context, size, &launch);
    subwave_minmax_index_launch part = {
        .op = op, .x = x, .value = values, .index = indices, .ldx = ldx};
    if (short_rows)
        set_keys(dtype, op, &launch);
    else
        SUBWAVE_TRY(subwave_array_prepare_rows(context, rows, length, size,
                                               SUBWAVE_INDEX_VALUE_BYTES, &part.array, &part.rows));
    if (length > 0)
        subwave_log_bench(context,
                          "row_minmax_index --dtype %s --op %s --size %" PRId64 "x%" PRId64
                          " --ld %" PRId64,
                          subwave_dtype_name(dtype), subwave_op_name(op), rows, length, ldx);
    if (short_rows)
        return subwave_launch(context, SUBWAVE_OPERATION_row_minmax_index,
                              subwave_moved_dtype(dtype), &launch, "subwave_row_minmax_index");
    for (const int64_t most = part.rows; rows > 0; rows -= most) {
        part.rows = (uint32_t)(rows < most ? rows : most);
        SUBWAVE_TRY(subwave_launch(context, SUBWAVE_OPERATION_minmax_index, dtype, &part,
                                   "subwave_row_minmax_index"));
        part.x = (const char *)part.x + most * ldx * (int64_t)size;
        part.value = (char *)part.value + most * (int64_t)size;
        part.index += most;
    }
    return SUBWAVE_STATUS_SUCCESS;
}
