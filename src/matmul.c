/* SPDX-License-Identifier: MIT
 * matmul.c: subwave_matmul, the matrix product.
 */
#include "check.h"
#include "log.h"
#include "plan.h"

static double scalar(subwave_dtype dtype, const void *value)
{
    return dtype == SUBWAVE_DTYPE_F32 ? *(const float *)value : *(const double *)value;
}

subwave_status subwave_matmul(subwave_context *context, subwave_variant variant,
                              subwave_dtype dtype, subwave_layout layout,
                              subwave_transpose transpose_a, subwave_transpose transpose_b,
                              int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                              int64_t lda, const void *b, int64_t ldb, const void *beta, void *c,
                              int64_t ldc)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_matmul"));
    subwave_log_matmul(context, SUBWAVE_LOG_TRACE, variant, dtype, layout, transpose_a, transpose_b, m,
                       n, k, lda, ldb, ldc);
    SUBWAVE_TRY(subwave_check_variant(context, variant));
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_layout(context, layout));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_a", transpose_a));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_b", transpose_b));
    if (dtype != SUBWAVE_DTYPE_F32 && dtype != SUBWAVE_DTYPE_F64)
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "dtype is %s; subwave_matmul takes f32 and f64",
                            subwave_dtype_name(dtype));

    SUBWAVE_TRY(subwave_check_size(context, "m", m));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    SUBWAVE_TRY(subwave_check_size(context, "k", k));
    const size_t size = subwave_dtype_size(dtype);
    const bool a_flipped = transpose_a != SUBWAVE_TRANSPOSE_NONE;
    const bool b_flipped = transpose_b != SUBWAVE_TRANSPOSE_NONE;
    SUBWAVE_TRY(subwave_check_matrix(context, "lda", layout, a_flipped ? k : m, a_flipped ? m : k,
                                     lda, size));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldb", layout, b_flipped ? n : k, b_flipped ? k : n,
                                     ldb, size));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldc", layout, m, n, ldc, size));

    if (m == 0 || n == 0)
        return SUBWAVE_STATUS_SUCCESS;

    SUBWAVE_TRY(subwave_check_pointer(context, "alpha", alpha, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "beta", beta, size));
    const double alpha_value = scalar(dtype, alpha), beta_value = scalar(dtype, beta);
    if (alpha_value == 0)
        k = 0; /* A and B are not read, not even to find a NaN */
    if (k > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, size));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, size));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, size));
    if (k == 0 && beta_value == 1)
        return SUBWAVE_STATUS_SUCCESS;

    subwave_matmul_launch launch = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .a = a,
                                    .b = b,
                                    .c = c,
                                    .a_row = a_flipped ? 1 : lda,
                                    .a_column = a_flipped ? lda : 1,
                                    .b_row = b_flipped ? 1 : ldb,
                                    .b_column = b_flipped ? ldb : 1,
                                    .c_row = ldc,
                                    .c_column = 1,
                                    .alpha = k > 0 ? alpha_value : 0, /* may be infinite */
                                    .beta = beta_value};
    if (layout == SUBWAVE_LAYOUT_COLUMN_MAJOR) {
        /* Column-major storage read as row-major is the transpose: C^T = op(B)^T op(A)^T. */
        launch.m = n;
        launch.n = m;
        launch.a = b;
        launch.b = a;
        launch.a_row = b_flipped ? 1 : ldb;
        launch.a_column = b_flipped ? ldb : 1;
        launch.b_row = a_flipped ? 1 : lda;
        launch.b_column = a_flipped ? lda : 1;
    }
    subwave_log_matmul(context, SUBWAVE_LOG_BENCH, variant, dtype, layout, transpose_a, transpose_b, m,
                       n, k, lda, ldb, ldc);
    subwave_plan_matmul(&context->device, dtype, variant, &launch);
    return context->backend->launch(context->state, context->stream, SUBWAVE_OPERATION_matmul, dtype,
                                    &launch, context->error);
}
