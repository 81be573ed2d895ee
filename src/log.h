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
/* `what` is SUBWAVE_LOG_TRACE, of every call, or SUBWAVE_LOG_BENCH, of one that will compute. */
void subwave_log_matmul(subwave_context *context, int what, subwave_variant variant,
                        subwave_dtype dtype, subwave_layout layout, subwave_transpose transpose_a,
                        subwave_transpose transpose_b, int64_t m, int64_t n, int64_t k, int64_t lda,
                        int64_t ldb, int64_t ldc);

#endif
