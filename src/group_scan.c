/* SPDX-License-Identifier: MIT
 * group_scan.c: subwave_group_scan.
 */
#include "group.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

subwave_status subwave_group_scan(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                  subwave_scan_kind scan, const subwave_group *group, int64_t n,
                                  const void *init, const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_scan"));
    subwave_log_call(context,
                     "subwave_group_scan(dtype=%s, op=%s, scan=%s, kind=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), subwave_scan_kind_name(scan),
                     group ? subwave_group_kind_name(group->kind) : "null", n);
    subwave_group_scan_launch launch = {
        .reduce = {.op = op, .x = x, .y = y, .has_init = init != NULL}, .scan = scan};
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_group_scan, op, dtype));
    SUBWAVE_TRY(subwave_check_scan_kind(context, scan));
    SUBWAVE_TRY(subwave_group_prepare(context, group, n, &launch.reduce.shape));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_group_check_pointers(context, group));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    if (init)
        memcpy(launch.reduce.init, init, size);
    subwave_log_bench_group(context, group, n, "group_scan --dtype %s --op %s --scan %s%s",
                            subwave_dtype_name(dtype), subwave_op_name(op),
                            subwave_scan_kind_name(scan), init ? " --init" : "");
    return subwave_launch(context, SUBWAVE_OPERATION_group_scan, dtype, &launch,
                          "subwave_group_scan");
}
