/* SPDX-License-Identifier: MIT
 * scatter_add.c: subwave_scatter_add.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_scatter_add(subwave_context *context, subwave_dtype dtype,
                                   subwave_order order, int64_t n, subwave_dtype index_dtype,
                                   const void *indices, const void *values, int64_t cells, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_scatter_add"));
    subwave_log_call(context,
                     "subwave_scatter_add(dtype=%s, order=%s, n=%" PRId64
                     ", index_dtype=%s, cells=%" PRId64 ")",
                     subwave_dtype_name(dtype), subwave_order_name(order), n,
                     subwave_dtype_name(index_dtype), cells);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_built(context, "scatter_add", SUBWAVE_OPERATION_scatter_add, dtype));
    SUBWAVE_TRY(subwave_check_order(context, order));
    SUBWAVE_TRY(subwave_check_index_dtype(context, "index_dtype", "indices", index_dtype));
    SUBWAVE_TRY(subwave_check_count(context, "n", n));
    SUBWAVE_TRY(subwave_check_count(context, "cells", cells));
    if (n == 0 || cells == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(
        subwave_check_pointer(context, "indices", indices, subwave_dtype_size(index_dtype)));
    SUBWAVE_TRY(subwave_check_pointer(context, "values", values, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, size));
    subwave_scatter_add_launch launch = {.n = n,
                                         .cells = cells,
                                         .indices = indices,
                                         .values = values,
                                         .y = y,
                                         .wide = index_dtype == SUBWAVE_DTYPE_I64};
    SUBWAVE_TRY(subwave_array_prepare_sums(context, dtype, order, &launch));
    subwave_log_bench(context,
                      "scatter_add --dtype %s --order %s --indices %s --cells %" PRId64
                      " --size %" PRId64,
                      subwave_dtype_name(dtype), subwave_order_name(order),
                      subwave_dtype_name(index_dtype), cells, n);
    return subwave_launch(context, SUBWAVE_OPERATION_scatter_add, dtype, &launch,
                          "subwave_scatter_add");
}
