/* SPDX-License-Identifier: MIT
 * segmented_scan.c: subwave_segmented_scan.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_segmented_scan(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                      subwave_scan_kind scan, subwave_dtype offset_dtype,
                                      int64_t segments, const void *offsets, int64_t n,
                                      const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_segmented_scan"));
    subwave_log_call(context,
                     "subwave_segmented_scan(dtype=%s, op=%s, scan=%s, offset_dtype=%s,"
                     " segments=%" PRId64 ", n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                     subwave_dtype_name(offset_dtype), segments, n);
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_segmented_scan, op, dtype));
    SUBWAVE_TRY(subwave_check_scan_kind(context, scan));
    SUBWAVE_TRY(subwave_check_offset_dtype(context, offset_dtype));
    SUBWAVE_TRY(subwave_check_segments(context, segments, n));
    if (segments == 0 || n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(
        subwave_check_pointer(context, "offsets", offsets, subwave_dtype_size(offset_dtype)));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    subwave_segmented_scan_launch launch = {
        .segments = {.tiles = {.n = n}, .count = segments, .offsets = offsets},
        .op = op,
        .scan = scan,
        .x = x,
        .y = y};
    SUBWAVE_TRY(subwave_array_prepare_segments(context, offset_dtype, size, &launch.segments));
    subwave_log_bench(context,
                      "segmented_scan --dtype %s --op %s --scan %s --offsets %s"
                      " --segments %" PRId64 " --size %" PRId64,
                      subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                      subwave_dtype_name(offset_dtype), segments, n);
    return subwave_launch(context, SUBWAVE_OPERATION_segmented_scan, dtype, &launch,
                          "subwave_segmented_scan");
}
