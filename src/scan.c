/* SPDX-License-Identifier: MIT
 * scan.c: subwave_scan.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

subwave_status subwave_scan(subwave_context *context, subwave_dtype dtype, subwave_op op,
                            subwave_scan_kind scan, subwave_order order, int64_t n,
                            const void *init, const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_scan"));
    subwave_log_call(context, "subwave_scan(dtype=%s, op=%s, scan=%s, order=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                     subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_scan, op, dtype));
    SUBWAVE_TRY(subwave_check_scan_kind(context, scan));
    SUBWAVE_TRY(subwave_check_order(context, order));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    subwave_scan_launch launch = {
        .op = op, .scan = scan, .x = x, .y = y, .rows = 1, .has_init = init != NULL};
    if (init)
        memcpy(launch.init, init, size);
    SUBWAVE_TRY(subwave_array_prepare_tiles(context, n, SUBWAVE_SCAN_TILE(size), &launch.tiles));
    subwave_log_bench(context, "scan --dtype %s --op %s --scan %s --order %s%s --size %" PRId64,
                      subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                      subwave_order_name(order), init ? " --init" : "", n);
    return subwave_launch(context, SUBWAVE_OPERATION_scan, dtype, &launch, "subwave_scan");
}
