/* SPDX-License-Identifier: MIT
 * log.h: SUBWAVE_LOG: a trace of calls, and compute calls as commands that repeat them.
 */
#ifndef SUBWAVE_LOG_H
#define SUBWAVE_LOG_H

#include "backend.h"

/* Reads SUBWAVE_LOG and SUBWAVE_LOG_FILE into the context. */
subwave_status subwave_log_open(subwave_context *context);
void subwave_log_close(subwave_context *context);

void subwave_log_call(subwave_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A matrix product or a batch of them, as it was called. */
typedef struct subwave_log_product {
    const char *operation;   /* the function without its prefix: what `subwave bench` calls it */
    subwave_variant variant; /* of subwave_matmul; else 0 */
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k, ld[3], batch;
    const int64_t *stride; /* of A, B and C in a strided batch, else null */
    const void *alpha, *beta;
    subwave_dtype offset_dtype; /* of a stack; else 0 */
} subwave_log_product;

/* These print a call that will compute as a command that repeats it. */
void subwave_log_bench_product(subwave_context *context, const subwave_log_product *product);
/* The operation's name and its options, without the device, which is added. */
void subwave_log_bench(subwave_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A transposition; batch 0: the call for one. `ld` and `stride` are of x and y. */
void subwave_log_bench_transpose(subwave_context *context, subwave_dtype dtype,
                                 subwave_layout layout, int64_t m, int64_t n, const int64_t ld[2],
                                 const int64_t stride[2], int64_t batch);
void subwave_log_bench_group(subwave_context *context, const subwave_group *group, int64_t n,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
