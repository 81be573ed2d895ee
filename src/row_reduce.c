/* SPDX-License-Identifier: MIT
 * row_reduce.c: subwave_row_reduce.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_row_reduce(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                  int64_t rows, int64_t length, const void *x, int64_t ldx, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_row_reduce"));
    subwave_log_call(context,
                     "subwave_row_reduce(dtype=%s, op=%s, rows=%" PRId64 ", length=%" PRId64
                     ", ldx=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), rows, length, ldx);
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_row_reduce, op, dtype));
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_check_rows(context, rows, length, "ldx", ldx, size));
    if (rows == 0)
        return SUBWAVE_STATUS_SUCCESS;
    if (length > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    subwave_row_reduce_launch launch = {.op = op, .x = x, .y = y};
    const bool short_rows = subwave_rows_prepare(context, rows, length, ldx, size, &launch.rows);
    subwave_reduce_launch part = {.op = op, .x = x, .result = y, .ldx = ldx};
    if (!short_rows)
        SUBWAVE_TRY(subwave_array_prepare_rows(context, rows, length, size, sizeof(uint64_t),
                                               &part.array, &part.rows));
    if (length > 0)
        subwave_log_bench(
            context, "row_reduce --dtype %s --op %s --size %" PRId64 "x%" PRId64 " --ld %" PRId64,
            subwave_dtype_name(dtype), subwave_op_name(op), rows, length, ldx);
    if (short_rows)
        return subwave_launch(context, SUBWAVE_OPERATION_row_reduce, dtype, &launch,
                              "subwave_row_reduce");
    for (const int64_t most = part.rows; rows > 0; rows -= most) {
        part.rows = (uint32_t)(rows < most ? rows : most);
        SUBWAVE_TRY(
            subwave_launch(context, SUBWAVE_OPERATION_reduce, dtype, &part, "subwave_row_reduce"));
        part.x = (const char *)part.x + most * ldx * (int64_t)size;
        part.result = (char *)part.result + most * (int64_t)size;
    }
    return SUBWAVE_STATUS_SUCCESS;
}
