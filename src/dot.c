/* SPDX-License-Identifier: MIT
 * dot.c: subwave_dot.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>

SUBWAVE_DEFINE_NAME(subwave_conjugation, SUBWAVE_CONJUGATION_LIST)

static SUBWAVE_DEFINE_CHECK(check_conjugation, subwave_conjugation, "conjugation",
                            SUBWAVE_CONJUGATION_LIST)

    subwave_status subwave_dot(subwave_context *context, subwave_dtype dtype,
                               subwave_conjugation conjugation, subwave_order order, int64_t n,
                               const void *x, const void *y, subwave_place place, void *result)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_dot"));
    subwave_log_call(context, "subwave_dot(dtype=%s, conjugation=%s, order=%s, n=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_conjugation_name(conjugation),
                     subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(check_conjugation(context, conjugation));
    SUBWAVE_TRY(subwave_check_order(context, order));
    SUBWAVE_TRY(subwave_check_place(context, place));
    SUBWAVE_TRY(subwave_check_built(context, "dot", SUBWAVE_OPERATION_dot, dtype));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    const size_t size = subwave_dtype_size(dtype),
                 alignment = subwave_dtype_size(subwave_part_dtype(dtype));
    if (n > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, alignment));
        SUBWAVE_TRY(subwave_check_pointer(context, "y", y, alignment));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "result", result, alignment));
    subwave_dot_launch launch = {
        .conjugate = conjugation == SUBWAVE_CONJUGATION_FIRST, .x = x, .y = y};
    SUBWAVE_TRY(subwave_array_prepare(context, order, n, size, 2 * sizeof(double), place, result,
                                      &launch.array, &launch.result));
    if (n > 0)
        subwave_log_bench(context, "dot --dtype %s --conjugation %s --order %s --size %" PRId64,
                          subwave_dtype_name(dtype), subwave_conjugation_name(conjugation),
                          subwave_order_name(order), n);
    SUBWAVE_TRY(subwave_launch(context, SUBWAVE_OPERATION_dot, dtype, &launch, "subwave_dot"));
    return subwave_array_finish(context, place, result, launch.result, size);
}
