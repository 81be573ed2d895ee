/* SPDX-License-Identifier: MIT
 * matmul_grouped.c: subwave_matmul_grouped, products of any sizes, which only the device knows.
 */
#include "log.h"
#include "matmul_batched.h"
#include "plan.h"
#include "workspace.h"

#include <inttypes.h>

/* After the workspace's counters: units of work of the classes, of their runs and of the problems.
 * A list needs as much on every device. */
static subwave_status prepare(subwave_context *context, subwave_grouped_launch *problems)
{
    const int64_t classes = SUBWAVE_GROUPED_CLASSES, runs = problems->runs,
                  counters = SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t),
                  units = classes * (1 + runs + problems->count);
    void *workspace;
    SUBWAVE_TRY(
        subwave_workspace_get(context, counters + units * (int64_t)sizeof(uint64_t), &workspace));
    problems->total = (uint64_t *)((char *)workspace + counters);
    problems->before_run = problems->total + classes;
    problems->in_run = problems->before_run + classes * runs;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_matmul_grouped(subwave_context *context, subwave_dtype dtype,
                                      subwave_layout layout, subwave_transpose_kind transpose_a,
                                      subwave_transpose_kind transpose_b, const int64_t *m,
                                      const int64_t *n, const int64_t *k, const void *alpha,
                                      const void *const *a, const int64_t *lda,
                                      const void *const *b, const int64_t *ldb, const void *beta,
                                      void *const *c, const int64_t *ldc, int64_t count)
{
    const char *const function = "subwave_matmul_grouped";
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_log_call(context,
                     "%s(dtype=%s, layout=%s, transpose_a=%d, transpose_b=%d, count=%" PRId64 ")",
                     function, subwave_dtype_name(dtype),
                     layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row", (int)transpose_a,
                     (int)transpose_b, count);
    /* Of a problem that stands for all, whose sizes the host cannot know. */
    const subwave_batched_problem p = {SUBWAVE_OPERATION_matmul_grouped,
                                       dtype,
                                       layout,
                                       transpose_a,
                                       transpose_b,
                                       1,
                                       1,
                                       1,
                                       1,
                                       1,
                                       1,
                                       count,
                                       alpha,
                                       beta};
    SUBWAVE_TRY(subwave_batched_check(context, function, &p));
    SUBWAVE_TRY(subwave_check_size(context, "count", count));
    if (count > SUBWAVE_GROUPED_MOST)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "count is %" PRId64 "; %s takes up to %d problems", count, function,
                            SUBWAVE_GROUPED_MOST);
    if (count == 0)
        return SUBWAVE_STATUS_SUCCESS;

    bool idle;
    subwave_matmul_batched_launch product = {0};
    SUBWAVE_TRY(subwave_batched_prepare(context, &p, &product, &idle));
    const bool multiplies = product.k > 0;
    SUBWAVE_TRY(subwave_check_pointer(context, "m", m, sizeof *m));
    SUBWAVE_TRY(subwave_check_pointer(context, "n", n, sizeof *n));
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, sizeof *c));
    SUBWAVE_TRY(subwave_check_pointer(context, "ldc", ldc, sizeof *ldc));
    if (multiplies) {
        SUBWAVE_TRY(subwave_check_pointer(context, "k", k, sizeof *k));
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, sizeof *a));
        SUBWAVE_TRY(subwave_check_pointer(context, "lda", lda, sizeof *lda));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, sizeof *b));
        SUBWAVE_TRY(subwave_check_pointer(context, "ldb", ldb, sizeof *ldb));
    }
    if (idle)
        return SUBWAVE_STATUS_SUCCESS;

    const bool swapped = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR; /* as the product's operands are */
    const uint32_t runs = (uint32_t)ceil_divide(count, SUBWAVE_GROUPED_RUN);
    subwave_matmul_batched_launch launches[SUBWAVE_GROUPED_CLASSES];
    subwave_matmul_grouped_launch launch = {
        .problems = {.m = swapped ? n : m,
                     .n = swapped ? m : n,
                     .k = k,
                     .a = {swapped ? b : a, swapped ? ldb : lda, product.a.transposed},
                     .b = {swapped ? a : b, swapped ? lda : ldb, product.b.transposed},
                     .c = {(const void *const *)c, ldc, false},
                     .count = (uint32_t)count,
                     .runs = runs,
                     .blocks = (uint32_t)lesser_of(runs, SUBWAVE_GROUPED_BLOCKS),
                     .multiplies = multiplies}};
    launch.problems.classes = subwave_plan_matmul_grouped(&context->capabilities, dtype, &product,
                                                          launches, launch.problems.sides);
    SUBWAVE_TRY(prepare(context, &launch.problems));
    SUBWAVE_TRY(subwave_launch(context, SUBWAVE_OPERATION_grouped, SUBWAVE_DTYPE_U8,
                               &launch.problems, function));
    for (launch.number = 0; launch.number < launch.problems.classes; ++launch.number) {
        launch.product = launches[launch.number];
        SUBWAVE_TRY(
            subwave_launch(context, SUBWAVE_OPERATION_matmul_grouped, dtype, &launch, function));
    }
    return SUBWAVE_STATUS_SUCCESS;
}
