/* SPDX-License-Identifier: MIT
 * reduce.c: subwave_reduce.
 */
#include "array.h"
#include "group.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

subwave_status subwave_reduce(subwave_context *context, subwave_dtype dtype, subwave_op op,
                              subwave_order order, int64_t n, const void *init, const void *x,
                              subwave_place place, void *result)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_reduce"));
    subwave_log_call(context, "subwave_reduce(dtype=%s, op=%s, order=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_op_name(op), subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_check_op(context, SUBWAVE_OPERATION_reduce, op, dtype));
    SUBWAVE_TRY(subwave_check_order(context, order));
    SUBWAVE_TRY(subwave_check_place(context, place));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    const size_t size = subwave_dtype_size(dtype);
    if (n > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "result", result, size));
    subwave_reduce_launch launch = {.op = op, .x = x, .rows = 1, .has_init = init != NULL};
    if (init)
        memcpy(launch.init, init, size);
    SUBWAVE_TRY(subwave_array_prepare(context, order, n, size, sizeof(uint64_t), place, result,
                                      &launch.array, &launch.result));
    if (n > 0)
        subwave_log_bench(context, "reduce --dtype %s --op %s --order %s%s --size %" PRId64,
                          subwave_dtype_name(dtype), subwave_op_name(op), subwave_order_name(order),
                          init ? " --init" : "", n);
    SUBWAVE_TRY(
        subwave_launch(context, SUBWAVE_OPERATION_reduce, dtype, &launch, "subwave_reduce"));
    return subwave_array_finish(context, place, result, launch.result, size);
}
