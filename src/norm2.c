/* SPDX-License-Identifier: MIT
 * norm2.c: subwave_norm2.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_norm2(subwave_context *context, subwave_dtype dtype, subwave_order order,
                             int64_t n, const void *x, subwave_place place, void *result)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_norm2"));
    subwave_log_call(context, "subwave_norm2(dtype=%s, order=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_order(context, order));
    SUBWAVE_TRY(subwave_check_place(context, place));
    /* A complex array is one of its parts. */
    const subwave_dtype part = subwave_part_dtype(dtype);
    const size_t size = subwave_dtype_size(part);
    const int64_t parts = (int64_t)(subwave_dtype_size(dtype) / size);
    if (!subwave_is_built(SUBWAVE_OPERATION_norm2, part))
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "dtype is %s; norm2 takes f16, bf16, f32, f64, c32, c64",
                            subwave_dtype_name(dtype));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    if (n > INT64_MAX / 2)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "n is %" PRId64 ", more than memory holds", n);
    if (n > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "result", result, size));
    subwave_norm2_launch launch = {.x = x};
    SUBWAVE_TRY(subwave_array_prepare(context, order, n * parts, size, 3 * sizeof(double), place,
                                      result, &launch.array, &launch.result));
    if (n > 0)
        subwave_log_bench(context, "norm2 --dtype %s --order %s --size %" PRId64,
                          subwave_dtype_name(dtype), subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_launch(context, SUBWAVE_OPERATION_norm2, part, &launch, "subwave_norm2"));
    return subwave_array_finish(context, place, result, launch.result, size);
}
