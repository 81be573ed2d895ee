/* SPDX-License-Identifier: MIT
 * log.c: SUBWAVE_LOG: a trace of calls, and compute calls as commands that repeat them.
 */
#include "log.h"

#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

/* --- commands -------------------------------------------------------------------------------- */

/* A line that grows. Every word is made of letters, digits and + - . , _ :, so a shell needs no
 * quotes. */
typedef struct line {
    size_t length;
    char text[1024];
} line;

__attribute__((format(printf, 2, 0))) static void add_list(line *l, const char *format,
                                                           va_list arguments)
{
    const int added = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    l->length += (size_t)added; /* the longest of all commands has about 500 characters */
}

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(l, format, arguments);
    va_end(arguments);
}

static void print(subwave_context *context, const line *l)
{
    fprintf(context->log, "subwave bench %s\n", l->text);
}

static bool is_transposed(subwave_transpose_kind transpose)
{
    return transpose != SUBWAVE_TRANSPOSE_NONE;
}

static void add_transpose(line *l, char operand, subwave_transpose_kind transpose)
{
    if (is_transposed(transpose))
        add(l, " --%s-%c", transpose == SUBWAVE_TRANSPOSE_CONJUGATE ? "conjugate" : "transpose",
            operand);
}

/* Leading dimensions, if there is a gap between any two lines of a matrix. */
static void add_leading(line *l, const subwave_log_product *p)
{
    const bool column_major = p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    const int64_t rows[] = {p->m, p->k, p->m}, columns[] = {p->k, p->n, p->n};
    const bool flipped[] = {is_transposed(p->transpose_a) != column_major,
                            is_transposed(p->transpose_b) != column_major, column_major};
    bool gaps = false;
    for (int i = 0; i < 3; ++i) {
        const int64_t lines = flipped[i] ? columns[i] : rows[i],
                      length = flipped[i] ? rows[i] : columns[i];
        gaps |= lines > 1 && length > 0 && p->ld[i] > length;
    }
    if (gaps)
        add(l, " --ld %" PRId64 ",%" PRId64 ",%" PRId64, p->ld[0], p->ld[1], p->ld[2]);
}

/* The program's locale may have another sign than a point. */
static void add_number(line *l, int digits, double number)
{
    const size_t start = l->length;
    add(l, "%.*g", digits, number);
    for (char *at = l->text + start; *at; ++at)
        if (!strchr("0123456789+-e", *at))
            *at = '.';
}

/* A scalar that is not what the command takes by default. One that is infinite or NaN is as good as
 * left out, since no result of it could be compared. */
static void add_scalar(line *l, const char *name, subwave_dtype dtype, const void *scalar,
                       double usual)
{
    const bool two = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    const subwave_dtype sums = subwave_sum_dtype(dtype);
    double part[2] = {0};
    for (int i = 0; i <= two; ++i)
        part[i] = subwave_real(sums, scalar, i);
    const bool f32 = subwave_part_dtype(sums) == SUBWAVE_DTYPE_F32;
    const int digits = f32 ? 9 : 17; /* they tell all numbers apart */
    if (!isfinite(part[0]) || !isfinite(part[1]) || (part[0] == usual && part[1] == 0))
        return;
    add(l, " --%s ", name);
    add_number(l, digits, part[0]);
    if (part[1] != 0) {
        add(l, ",");
        add_number(l, digits, part[1]);
    }
}

void subwave_log_bench_product(subwave_context *context, const subwave_log_product *p)
{
    if (!(context->log_bits & SUBWAVE_LOG_BENCH))
        return;
    line l = {0};
    add(&l, "%s --device %s", p->operation, context->device.id);
    if (p->variant)
        add(&l, " --variant %s", subwave_variant_name(p->variant));
    add(&l, " --dtype %s --layout %s", subwave_dtype_name(p->dtype),
        p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row");
    add_transpose(&l, 'a', p->transpose_a);
    add_transpose(&l, 'b', p->transpose_b);
    add(&l, " --size %" PRId64 "x%" PRId64 "x%" PRId64, p->m, p->n, p->k);
    if (!p->variant)
        add(&l, " --batch %" PRId64, p->batch);
    if (p->offset_dtype)
        add(&l, " --offsets %s", subwave_dtype_name(p->offset_dtype));
    add_leading(&l, p);
    if (p->stride)
        add(&l, " --strides %" PRId64 ",%" PRId64 ",%" PRId64, p->stride[0], p->stride[1],
            p->stride[2]);
    add_scalar(&l, "alpha", p->dtype, p->alpha, 1);
    add_scalar(&l, "beta", p->dtype, p->beta, 0);
    print(context, &l);
}

void subwave_log_bench(subwave_context *context, const char *format, ...)
{
    if (!(context->log_bits & SUBWAVE_LOG_BENCH))
        return;
    line l = {0};
    va_list arguments;
    va_start(arguments, format);
    add_list(&l, format, arguments);
    va_end(arguments);
    add(&l, " --device %s", context->device.id);
    print(context, &l);
}

void subwave_log_bench_transpose(subwave_context *context, subwave_dtype dtype,
                                 subwave_layout layout, int64_t m, int64_t n, const int64_t ld[2],
                                 const int64_t stride[2], int64_t batch)
{
    if (!(context->log_bits & SUBWAVE_LOG_BENCH))
        return;
    line l = {0};
    add(&l,
        "transpose%s --device %s --dtype %s --layout %s --size %" PRId64 "x%" PRId64
        " --ld %" PRId64 ",%" PRId64,
        batch ? "_strided_batched" : "", context->device.id, subwave_dtype_name(dtype),
        layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row", m, n, ld[0], ld[1]);
    if (batch)
        add(&l, " --batch %" PRId64 " --strides %" PRId64 ",%" PRId64, batch, stride[0], stride[1]);
    print(context, &l);
}

void subwave_log_bench_group(subwave_context *context, const subwave_group *group, int64_t n,
                             const char *format, ...)
{
    if (!(context->log_bits & SUBWAVE_LOG_BENCH))
        return;
    line l = {0};
    va_list arguments;
    va_start(arguments, format);
    add_list(&l, format, arguments);
    va_end(arguments);
    add(&l, " --device %s --kind %s --block %" PRId32 "x%" PRId32 "x%" PRId32 " --size %" PRId64,
        context->device.id, subwave_group_kind_name(group->kind), group->block[0], group->block[1],
        group->block[2], n);
    if (group->kind == SUBWAVE_GROUP_FIXED_SIZE)
        add(&l, " --fixed-size %" PRId32, group->fixed_size);
    if (group->kind == SUBWAVE_GROUP_TANGLE || group->kind == SUBWAVE_GROUP_OPPORTUNISTIC)
        add(&l, " --branches %" PRId32, group->branches);
    if (group->members)
        add(&l, " --members");
    print(context, &l);
}
