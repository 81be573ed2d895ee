/* SPDX-License-Identifier: MIT
 * matmul_batched.h: what calls for many small products share.
 */
#ifndef SUBWAVE_MATMUL_BATCHED_H
#define SUBWAVE_MATMUL_BATCHED_H

#include "check.h"

/* What such a call takes, except for the operands. `batch`: entries, also of a stack. */
typedef struct subwave_batched_problem {
    subwave_operation operation;
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k, lda, ldb, ldc, batch;
    const void *alpha, *beta;
} subwave_batched_problem;

void subwave_batched_log(subwave_context *context, const char *function,
                         const subwave_batched_problem *p);

/* All but `batch`, alpha and beta. */
subwave_status subwave_batched_check(subwave_context *context, const char *function,
                                     const subwave_batched_problem *p);

/* Checks alpha and beta, and fills all of `launch` but the plan and the operands' memory, which it
 * exchanges where C lies by columns. *idle: there is nothing to do. The launch's k is 0 where A and B are
 * not read, not even to find a NaN. */
subwave_status subwave_batched_prepare(subwave_context *context, const subwave_batched_problem *p,
                                       subwave_matmul_batched_launch *launch, bool *idle);

#endif
