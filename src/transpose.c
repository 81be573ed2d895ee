/* SPDX-License-Identifier: MIT
 * transpose.c: subwave_transpose, subwave_transpose_strided_batched.
 */
#include "transpose.h"

#include "log.h"

#include <inttypes.h>

subwave_status subwave_queue_transpose(subwave_context *context, subwave_dtype dtype,
                                       subwave_transpose_launch *launch, const char *what)
{
    const int64_t side =
        subwave_transpose_side(context->capabilities.shapes, (int)subwave_dtype_size(dtype));
    launch->down = (launch->m - 1) / side + 1;
    launch->across = (launch->n - 1) / side + 1;
    return subwave_launch(context, SUBWAVE_OPERATION_transpose, subwave_moved_dtype(dtype), launch,
                          what);
}

/* The arguments as they are given. */
typedef struct transposition {
    const char *function;
    subwave_dtype dtype;
    subwave_layout layout;
    int64_t m, n;
    const void *x;
    int64_t ldx, stride_x;
    void *y;
    int64_t ldy, stride_y, batch;
    bool single; /* the call for one matrix */
} transposition;

static subwave_status transpose(subwave_context *context, const transposition *t)
{
    SUBWAVE_TRY(subwave_check_dtype(context, t->dtype));
    SUBWAVE_TRY(subwave_check_layout(context, t->layout));
    SUBWAVE_TRY(subwave_check_size(context, "m", t->m));
    SUBWAVE_TRY(subwave_check_size(context, "n", t->n));
    const size_t size = subwave_dtype_size(t->dtype);
    SUBWAVE_TRY(subwave_check_matrix(context, "ldx", t->layout, t->m, t->n, t->ldx, size));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldy", t->layout, t->n, t->m, t->ldy, size));
    SUBWAVE_TRY(subwave_check_size(context, "batch", t->batch));
    SUBWAVE_TRY(subwave_check_stride(context, "stride_x", t->stride_x, t->batch, size));
    SUBWAVE_TRY(subwave_check_stride(context, "stride_y", t->stride_y, t->batch, size));
    SUBWAVE_TRY(subwave_check_apart(context, "stride_y", "y", t->layout, t->n, t->m, t->ldy,
                                    t->stride_y, t->batch));
    if (t->m == 0 || t->n == 0 || t->batch == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const size_t alignment = subwave_dtype_size(subwave_part_dtype(t->dtype));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", t->x, alignment));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", t->y, alignment));
    const bool in_place = t->x == t->y;
    if (in_place &&
        (t->m != t->n || t->ldx != t->ldy || (t->batch > 1 && t->stride_x != t->stride_y)))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_POINTER,
                            "y is x: in place m and n, ldx and ldy, and stride_x and stride_y must "
                            "be equal");

    const bool row_major = t->layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    subwave_transpose_launch launch = {.m = row_major ? t->m : t->n,
                                       .n = row_major ? t->n : t->m,
                                       .batch = t->batch,
                                       .x = t->x,
                                       .y = t->y,
                                       .ldx = t->ldx,
                                       .ldy = t->ldy,
                                       .stride_x = t->stride_x,
                                       .stride_y = t->stride_y,
                                       .in_place = in_place};
    subwave_log_bench_transpose(context, t->dtype, t->layout, t->m, t->n,
                                (int64_t[]){t->ldx, t->ldy}, (int64_t[]){t->stride_x, t->stride_y},
                                t->single ? 0 : t->batch);
    return subwave_queue_transpose(context, t->dtype, &launch, t->function);
}

subwave_status subwave_transpose(subwave_context *context, subwave_dtype dtype,
                                 subwave_layout layout, int64_t m, int64_t n, const void *x,
                                 int64_t ldx, void *y, int64_t ldy)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_transpose"));
    subwave_log_call(context,
                     "subwave_transpose(dtype=%s, m=%" PRId64 ", n=%" PRId64 ", ldx=%" PRId64
                     ", ldy=%" PRId64 ")",
                     subwave_dtype_name(dtype), m, n, ldx, ldy);
    return transpose(context, &(transposition){.function = "subwave_transpose",
                                               .dtype = dtype,
                                               .layout = layout,
                                               .m = m,
                                               .n = n,
                                               .x = x,
                                               .ldx = ldx,
                                               .y = y,
                                               .ldy = ldy,
                                               .batch = 1,
                                               .single = true});
}

subwave_status subwave_transpose_strided_batched(subwave_context *context, subwave_dtype dtype,
                                                 subwave_layout layout, int64_t m, int64_t n,
                                                 const void *x, int64_t ldx, int64_t stride_x,
                                                 void *y, int64_t ldy, int64_t stride_y,
                                                 int64_t batch)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_transpose_strided_batched"));
    subwave_log_call(context,
                     "subwave_transpose_strided_batched(dtype=%s, m=%" PRId64 ", n=%" PRId64
                     ", ldx=%" PRId64 ", stride_x=%" PRId64 ", ldy=%" PRId64 ", stride_y=%" PRId64
                     ", batch=%" PRId64 ")",
                     subwave_dtype_name(dtype), m, n, ldx, stride_x, ldy, stride_y, batch);
    return transpose(context, &(transposition){.function = "subwave_transpose_strided_batched",
                                               .dtype = dtype,
                                               .layout = layout,
                                               .m = m,
                                               .n = n,
                                               .x = x,
                                               .ldx = ldx,
                                               .stride_x = stride_x,
                                               .y = y,
                                               .ldy = ldy,
                                               .stride_y = stride_y,
                                               .batch = batch});
}
