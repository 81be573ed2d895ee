/* SPDX-License-Identifier: MIT
 * row_scan.c: subwave_row_scan.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_row_scan(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                subwave_scan_kind scan, int64_t rows, int64_t length, const void *x,
                                int64_t ldx, void *y, int64_t ldy)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_row_scan"));
    subwave_log_call(context,
                     "subwave_row_scan(dtype=%s, op=%s, scan=%s, rows=%" PRId64 ", length=%" PRId64
                     ", ldx=%" PRId64 ", ldy=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                     rows, length, ldx, ldy);
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_row_scan, op, dtype));
    SUBWAVE_TRY(subwave_check_scan_kind(context, scan));
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_check_rows(context, rows, length, "ldx", ldx, size));
    SUBWAVE_TRY(subwave_check_rows(context, rows, length, "ldy", ldy, size));
    if (rows == 0 || length == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    if (x == y && rows > 1 && ldx != ldy)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_STRIDE,
                            "ldy is %" PRId64 ", but ldx is %" PRId64 ", and y is x", ldy, ldx);
    subwave_row_scan_launch launch = {.rows = rows,
                                      .length = length,
                                      .ldx = ldx,
                                      .ldy = ldy,
                                      .op = op,
                                      .scan = scan,
                                      .x = x,
                                      .y = y};
    const bool short_rows = subwave_row_scan_prepare(context, size, &launch);
    subwave_scan_launch part = {.op = op, .scan = scan, .x = x, .y = y, .ldx = ldx, .ldy = ldy};
    if (!short_rows)
        SUBWAVE_TRY(
            subwave_array_prepare_row_tiles(context, rows, length, size, &part.tiles, &part.rows));
    subwave_log_bench(context,
                      "row_scan --dtype %s --op %s --scan %s --size %" PRId64 "x%" PRId64
                      " --ld %" PRId64 ",%" PRId64,
                      subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                      rows, length, ldx, ldy);
    if (short_rows)
        return subwave_launch(context, SUBWAVE_OPERATION_row_scan, dtype, &launch,
                              "subwave_row_scan");
    for (const int64_t most = part.rows; rows > 0; rows -= most) {
        part.rows = (uint32_t)(rows < most ? rows : most);
        SUBWAVE_TRY(
            subwave_launch(context, SUBWAVE_OPERATION_scan, dtype, &part, "subwave_row_scan"));
        part.x = (const char *)part.x + most * ldx * (int64_t)size;
        part.y = (char *)part.y + most * ldy * (int64_t)size;
    }
    return SUBWAVE_STATUS_SUCCESS;
}
