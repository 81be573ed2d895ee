/* SPDX-License-Identifier: MIT
 * matmul_batched.c: subwave_matmul_strided_batched and subwave_matmul_batched, many products at
 * once.
 */
#include "matmul_batched.h"

#include "log.h"
#include "tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_complex(subwave_dtype dtype)
{
    return subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
}

/* Whether all numbers of an element, one or two, are `value`, 0 for the imaginary part. */
static bool is_number(subwave_dtype dtype, const void *element, double value)
{
    const double *f64 = element;
    const float *f32 = element;
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return f32[0] == value;
    case SUBWAVE_DTYPE_F64:
        return f64[0] == value;
    case SUBWAVE_DTYPE_C32:
        return f32[0] == value && f32[1] == 0;
    default:
        return f64[0] == value && f64[1] == 0;
    }
}

void subwave_batched_log(subwave_context *context, const char *function,
                         const subwave_batched_problem *p)
{
    subwave_log_call(
        context,
        "%s(dtype=%s, layout=%s, transpose_a=%d, transpose_b=%d, m=%" PRId64 ", n=%" PRId64
        ", k=%" PRId64 ", lda=%" PRId64 ", ldb=%" PRId64 ", ldc=%" PRId64 ", batch=%" PRId64 ")",
        function, subwave_dtype_name(p->dtype),
        p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row", (int)p->transpose_a,
        (int)p->transpose_b, p->m, p->n, p->k, p->lda, p->ldb, p->ldc, p->batch);
}

subwave_status subwave_batched_check(subwave_context *context, const char *function,
                                     const subwave_batched_problem *p)
{
    SUBWAVE_TRY(subwave_check_dtype(context, p->dtype));
    SUBWAVE_TRY(subwave_check_layout(context, p->layout));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_a", p->transpose_a));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_b", p->transpose_b));
    SUBWAVE_TRY(subwave_check_built(context, function, p->operation, p->dtype));
    const struct {
        const char *name;
        int64_t size;
    } sizes[] = {{"m", p->m}, {"n", p->n}, {"k", p->k}};
    for (int i = 0; i < 3; ++i) {
        SUBWAVE_TRY(subwave_check_size(context, sizes[i].name, sizes[i].size));
        if (sizes[i].size > SUBWAVE_MATMUL_BATCHED_MOST)
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                                "%s is %" PRId64 "; %s takes up to %d, subwave_matmul more",
                                sizes[i].name, sizes[i].size, function,
                                SUBWAVE_MATMUL_BATCHED_MOST);
    }
    const size_t size = subwave_dtype_size(p->dtype);
    const bool a_flipped = p->transpose_a != SUBWAVE_TRANSPOSE_NONE;
    const bool b_flipped = p->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    SUBWAVE_TRY(subwave_check_matrix(context, "lda", p->layout, a_flipped ? p->k : p->m,
                                     a_flipped ? p->m : p->k, p->lda, size));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldb", p->layout, b_flipped ? p->n : p->k,
                                     b_flipped ? p->k : p->n, p->ldb, size));
    return subwave_check_matrix(context, "ldc", p->layout, p->m, p->n, p->ldc, size);
}

subwave_status subwave_batched_prepare(subwave_context *context, const subwave_batched_problem *p,
                                       subwave_matmul_batched_launch *launch, bool *idle)
{
    const size_t size = subwave_dtype_size(p->dtype);
    const size_t alignment = subwave_dtype_size(subwave_part_dtype(p->dtype)); /* as in C */
    SUBWAVE_TRY(subwave_check_pointer(context, "alpha", p->alpha, alignment));
    SUBWAVE_TRY(subwave_check_pointer(context, "beta", p->beta, alignment));
    const bool empty = p->k == 0 || is_number(p->dtype, p->alpha, 0);
    *idle = empty && is_number(p->dtype, p->beta, 1);
    launch->m = (int32_t)p->m;
    launch->n = (int32_t)p->n;
    launch->k = empty ? 0 : (int32_t)p->k;
    launch->batch = p->batch;
    launch->a.ld = p->lda;
    launch->a.transposed = p->transpose_a != SUBWAVE_TRANSPOSE_NONE;
    launch->a.conjugate = p->transpose_a == SUBWAVE_TRANSPOSE_CONJUGATE && is_complex(p->dtype);
    launch->b.ld = p->ldb;
    launch->b.transposed = p->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    launch->b.conjugate = p->transpose_b == SUBWAVE_TRANSPOSE_CONJUGATE && is_complex(p->dtype);
    launch->c.ld = p->ldc;
    if (!empty)
        memcpy(launch->alpha, p->alpha, size); /* else it may be infinite */
    memcpy(launch->beta, p->beta, size);
    if (p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR) {
        /* Column-major storage read as row-major is the transpose: C^T = op(B)^T op(A)^T. */
        const subwave_matmul_batched_operand a = launch->a;
        launch->a = launch->b;
        launch->b = a;
        launch->m = (int32_t)p->n;
        launch->n = (int32_t)p->m;
    }
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status launch_batch(subwave_context *context, subwave_dtype dtype,
                                   subwave_matmul_batched_launch *launch)
{
    return subwave_launch(context, SUBWAVE_OPERATION_matmul_batched, dtype, launch,
                          "subwave_matmul_batched");
}

const subwave_batched_tuning subwave_tuning_of_batches = {
    subwave_plan_matmul_batched, subwave_plan_batched_candidates, launch_batch};

/* `stride` is null for matrices by pointers. */
static subwave_status run(subwave_context *context, const subwave_batched_problem *p,
                          const int64_t *stride, subwave_matmul_batched_launch *launch)
{
    const subwave_log_product called = {stride ? "matmul_strided_batched" : "matmul_batched",
                                        0,
                                        p->dtype,
                                        p->layout,
                                        p->transpose_a,
                                        p->transpose_b,
                                        p->m,
                                        p->n,
                                        p->k,
                                        {p->lda, p->ldb, p->ldc},
                                        p->batch,
                                        stride,
                                        p->alpha,
                                        p->beta,
                                        0};
    subwave_log_bench_product(context, &called);
    subwave_plan_matmul_batched(&context->capabilities, p->dtype, launch);
    return launch_batch(context, p->dtype, launch);
}

subwave_status
subwave_matmul_strided_batched(subwave_context *context, subwave_dtype dtype, subwave_layout layout,
                               subwave_transpose_kind transpose_a,
                               subwave_transpose_kind transpose_b, int64_t m, int64_t n, int64_t k,
                               const void *alpha, const void *a, int64_t lda, int64_t stride_a,
                               const void *b, int64_t ldb, int64_t stride_b, const void *beta,
                               void *c, int64_t ldc, int64_t stride_c, int64_t batch)
{
    const char *const function = "subwave_matmul_strided_batched";
    const subwave_batched_problem p = {SUBWAVE_OPERATION_matmul_batched,
                                       dtype,
                                       layout,
                                       transpose_a,
                                       transpose_b,
                                       m,
                                       n,
                                       k,
                                       lda,
                                       ldb,
                                       ldc,
                                       batch,
                                       alpha,
                                       beta};
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_batched_log(context, function, &p);
    SUBWAVE_TRY(subwave_batched_check(context, function, &p));
    SUBWAVE_TRY(subwave_check_size(context, "batch", batch));
    const size_t size = subwave_dtype_size(dtype);
    SUBWAVE_TRY(subwave_check_stride(context, "stride_a", stride_a, batch, size));
    SUBWAVE_TRY(subwave_check_stride(context, "stride_b", stride_b, batch, size));
    SUBWAVE_TRY(subwave_check_stride(context, "stride_c", stride_c, batch, size));
    SUBWAVE_TRY(subwave_check_apart(context, "stride_c", "C", p.layout, p.m, p.n, p.ldc, stride_c,
                                    p.batch));
    if (m == 0 || n == 0 || batch == 0)
        return SUBWAVE_STATUS_SUCCESS;

    bool idle;
    subwave_matmul_batched_launch launch = {.a = {.first = a, .stride = stride_a},
                                            .b = {.first = b, .stride = stride_b},
                                            .c = {.first = c, .stride = stride_c}};
    SUBWAVE_TRY(subwave_batched_prepare(context, &p, &launch, &idle));
    if (launch.k > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, size));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, size));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, size));
    return idle ? SUBWAVE_STATUS_SUCCESS
                : run(context, &p, (int64_t[]){stride_a, stride_b, stride_c}, &launch);
}

subwave_status subwave_matmul_batched(subwave_context *context, subwave_dtype dtype,
                                      subwave_layout layout, subwave_transpose_kind transpose_a,
                                      subwave_transpose_kind transpose_b, int64_t m, int64_t n,
                                      int64_t k, const void *alpha, const void *const *a,
                                      int64_t lda, const void *const *b, int64_t ldb,
                                      const void *beta, void *const *c, int64_t ldc, int64_t batch)
{
    const char *const function = "subwave_matmul_batched";
    const subwave_batched_problem p = {SUBWAVE_OPERATION_matmul_batched,
                                       dtype,
                                       layout,
                                       transpose_a,
                                       transpose_b,
                                       m,
                                       n,
                                       k,
                                       lda,
                                       ldb,
                                       ldc,
                                       batch,
                                       alpha,
                                       beta};
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_batched_log(context, function, &p);
    SUBWAVE_TRY(subwave_batched_check(context, function, &p));
    SUBWAVE_TRY(subwave_check_size(context, "batch", batch));
    if (m == 0 || n == 0 || batch == 0)
        return SUBWAVE_STATUS_SUCCESS;

    bool idle;
    subwave_matmul_batched_launch launch = {
        .a = {.array = a}, .b = {.array = b}, .c = {.array = c}};
    SUBWAVE_TRY(subwave_batched_prepare(context, &p, &launch, &idle));
    if (launch.k > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, sizeof *a));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, sizeof *b));
    } else {
        launch.a.array = launch.b.array = NULL; /* kernels read the pointers before they know k */
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, sizeof *c));
    return idle ? SUBWAVE_STATUS_SUCCESS : run(context, &p, NULL, &launch);
}
