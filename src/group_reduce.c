/* SPDX-License-Identifier: MIT
 * group_reduce.c: subwave_group_reduce.
 */
#include "group.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

subwave_status subwave_group_reduce(subwave_context *context, subwave_dtype dtype, subwave_op op,
                                    const subwave_group *group, int64_t n, const void *init,
                                    const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_reduce"));
    subwave_log_call(context, "subwave_group_reduce(dtype=%s, op=%s, kind=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op),
                     group ? subwave_group_kind_name(group->kind) : "null", n);
    subwave_group_reduce_launch launch = {.op = op, .x = x, .y = y, .has_init = init != NULL};
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_group_reduce, op, dtype));
    SUBWAVE_TRY(subwave_group_prepare(context, group, n, &launch.shape));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_group_check_pointers(context, group));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    if (init)
        memcpy(launch.init, init, size);
    subwave_log_bench_group(context, group, n, "group_reduce --dtype %s --op %s%s",
                            subwave_dtype_name(dtype), subwave_op_name(op), init ? " --init" : "");
    return subwave_launch(context, SUBWAVE_OPERATION_group_reduce, dtype, &launch,
                          "subwave_group_reduce");
}
