/* SPDX-License-Identifier: MIT
 * log.c: SUBWAVE_LOG: a trace of calls, and compute calls as commands that repeat them.
 */
#include "log.h"

#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

subwave_status subwave_log_open(subwave_context *context)
{
    const char *bits = getenv("SUBWAVE_LOG"), *file = getenv("SUBWAVE_LOG_FILE");
    context->log = stderr;
    if (!bits || !*bits)
        return SUBWAVE_STATUS_SUCCESS;
    char *end;
    errno = 0;
    long value = strtol(bits, &end, 10);
    if (*bits < '0' || *bits > '9' || errno || *end || value < 0 ||
        value > (SUBWAVE_LOG_TRACE | SUBWAVE_LOG_BENCH))
        return subwave_fail(
            NULL, SUBWAVE_STATUS_INVALID_VALUE,
            "SUBWAVE_LOG is \"%s\"; it takes 0 to 3, the sum of 1 (trace) and 2 (bench commands)",
            bits);
    context->log_bits = (int)value;
    if (value && file && *file) {
        context->log = fopen(file, "a");
        if (!context->log)
            return subwave_fail(NULL, SUBWAVE_STATUS_INVALID_VALUE,
                                "SUBWAVE_LOG_FILE is \"%s\", which cannot be opened: %s", file,
                                strerror(errno));
        setvbuf(context->log, NULL, _IOLBF, BUFSIZ);
    }
    return SUBWAVE_STATUS_SUCCESS;
}

void subwave_log_close(subwave_context *context)
{
    if (context->log && context->log != stderr)
        fclose(context->log);
}

void subwave_log_call(subwave_context *context, const char *format, ...)
{
    if (!(context->log_bits & SUBWAVE_LOG_TRACE))
        return;
    /* One write a line: contexts on other threads may share the file. */
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(context->log, "subwave[%s]: %s\n", context->device.id, line);
}

void subwave_log_matmul(subwave_context *context, int what, subwave_variant variant,
                        subwave_dtype dtype, subwave_layout layout, subwave_transpose transpose_a,
                        subwave_transpose transpose_b, int64_t m, int64_t n, int64_t k, int64_t lda,
                        int64_t ldb, int64_t ldc)
{
    const char *order = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row";
    if (what == SUBWAVE_LOG_TRACE)
        subwave_log_call(
            context,
            "subwave_matmul(variant=%s, dtype=%s, layout=%s, transpose_a=%d, transpose_b=%d, m=%" PRId64
            ", n=%" PRId64 ", k=%" PRId64 ", lda=%" PRId64 ", ldb=%" PRId64 ", ldc=%" PRId64 ")",
            subwave_variant_name(variant), subwave_dtype_name(dtype), order,
            transpose_a != SUBWAVE_TRANSPOSE_NONE, transpose_b != SUBWAVE_TRANSPOSE_NONE, m, n, k,
            lda, ldb, ldc);
    else if (context->log_bits & SUBWAVE_LOG_BENCH)
        fprintf(
            context->log,
            "subwave bench matmul --device %s --variant %s --dtype %s --layout %s%s%s --size %" PRId64
            "x%" PRId64 "x%" PRId64 "\n",
            context->device.id, subwave_variant_name(variant), subwave_dtype_name(dtype), order,
            transpose_a != SUBWAVE_TRANSPOSE_NONE ? " --transpose-a" : "",
            transpose_b != SUBWAVE_TRANSPOSE_NONE ? " --transpose-b" : "", m, n, k);
}
