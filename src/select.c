/* SPDX-License-Identifier: MIT
 * select.c: subwave_compact, subwave_partition, subwave_unique and subwave_append.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

SUBWAVE_DEFINE_NAME(subwave_comparison, SUBWAVE_COMPARISON_LIST)

static SUBWAVE_DEFINE_CHECK(check_comparison, subwave_comparison, "comparison",
                            SUBWAVE_COMPARISON_LIST)

    /* Complex numbers are not ordered. */
    static subwave_status
    check_number(subwave_context *context, const char *what, subwave_dtype dtype)
{
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    if (subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX)
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "dtype is %s; %s compares real numbers", subwave_dtype_name(dtype),
                            what);
    return SUBWAVE_STATUS_SUCCESS;
}

/* What the calls have in common, once they have checked what is their own. */
typedef struct selection {
    const char *function, *output, *rest; /* names; rest: of the second output, or null */
    subwave_dtype dtype;
    int64_t n;
    subwave_comparison comparison; /* of the calls that have one; else 0 */
} selection;

/* Checks what is in device memory, divides the work, logs it, and launches it. */
static subwave_status launch(subwave_context *context, const selection *s,
                             subwave_select_launch *launch)
{
    const size_t size = subwave_dtype_size(s->dtype),
                 alignment = subwave_dtype_size(subwave_part_dtype(s->dtype));
    const int32_t rows = subwave_select_rows(context->capabilities.shapes, (int)size);
    if (s->n > 0) {
        if (launch->predicate == SUBWAVE_SELECT_FLAGS)
            SUBWAVE_TRY(subwave_check_pointer(context, "flags", launch->flags, 1));
        SUBWAVE_TRY(subwave_check_pointer(context, "x", launch->x, alignment));
        if (!launch->appends || launch->capacity > 0)
            SUBWAVE_TRY(subwave_check_pointer(context, s->output, launch->y, alignment));
        if (s->rest)
            SUBWAVE_TRY(subwave_check_pointer(context, s->rest, launch->rest, alignment));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "count", launch->count, sizeof *launch->count));
    /* The workspace is that of the smallest tiles, so that a program needs as much on every device. */
    const int64_t row = SUBWAVE_ARRAY_BLOCK * (16 / (int64_t)size);
    if (!launch->appends)
        SUBWAVE_TRY(
            subwave_array_prepare_tiles(context, s->n, SUBWAVE_ARRAY_ROWS * row, &launch->tiles));
    subwave_array_divide_tiles(s->n, rows * row, &launch->tiles);
    if (s->n > 0)
        subwave_log_bench(context, "%s --dtype %s%s%s --size %" PRId64,
                          launch->appends ? "append" : s->function + strlen("subwave_"),
                          subwave_dtype_name(s->dtype), s->comparison ? " --comparison " : "",
                          s->comparison ? subwave_comparison_name(s->comparison) : "", s->n);
    return subwave_launch(context, SUBWAVE_OPERATION_select, subwave_moved_dtype(s->dtype), launch,
                          s->function);
}

/* So many elements, with as many again for the sums of positions. */
static subwave_status check_elements(subwave_context *context, subwave_dtype dtype,
                                     const char *name, int64_t n)
{
    SUBWAVE_TRY(subwave_check_size(context, name, n));
    if (n > INT64_MAX / 2 / (int64_t)subwave_dtype_size(dtype))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "%s is %" PRId64 ", more than memory holds", name, n);
    return SUBWAVE_STATUS_SUCCESS;
}

/* The sizes of a call with flags or with a comparison. */
static subwave_status check_sizes(subwave_context *context, const selection *s,
                                  const subwave_select_launch *of)
{
    SUBWAVE_TRY(check_elements(context, s->dtype, "n", s->n));
    return of->appends ? check_elements(context, s->dtype, "capacity", of->capacity)
                       : SUBWAVE_STATUS_SUCCESS;
}

/* The size of what is appended to, as the log has it; or nothing. */
typedef struct capacity_text {
    char text[40];
} capacity_text;
static capacity_text capacity_of(const subwave_select_launch *of)
{
    capacity_text c = {""};
    if (of->appends)
        snprintf(c.text, sizeof c.text, ", capacity=%" PRId64, of->capacity);
    return c;
}

/* A number's bits as they are ordered: see subwave_select_launch. */
static uint64_t ordered(const subwave_select_launch *launch, uint64_t bits, uint64_t sign)
{
    return bits ^ (bits & sign ? launch->negative : 0) ^ launch->flip;
}

/* The interval of the numbers that compare so with the scalar; if it is empty, all are outside. */
static void set_interval(subwave_dtype dtype, subwave_comparison comparison, const void *scalar,
                         subwave_select_launch *launch)
{
    const size_t size = subwave_dtype_size(dtype);
    const uint64_t all = UINT64_MAX >> (64 - 8 * size), sign = all / 2 + 1;
    const bool is_float = subwave_class_of(dtype) == SUBWAVE_CLASS_FLOAT;
    uint64_t bits = 0;
    memcpy(&bits, scalar, size); /* little-endian, as every device is */
    launch->negative = is_float ? all / 2 : 0;
    launch->flip = subwave_class_of(dtype) == SUBWAVE_CLASS_UNSIGNED ? 0 : sign;
    /* The least and greatest number, and the first and last one that are equal to the scalar. */
    uint64_t least = 0, most = all, first = ordered(launch, bits, sign), last = first;
    bool is_number = true;
    if (is_float) {
        const uint64_t infinity = subwave_infinity(dtype), magnitude = bits & all / 2;
        is_number = magnitude <= infinity;
        least = ordered(launch, infinity | sign, sign);
        most = ordered(launch, infinity, sign);
        if (magnitude == 0) {
            first = ordered(launch, sign, sign);
            last = ordered(launch, 0, sign);
        }
    }
    bool empty = !is_number;
    launch->outside = comparison == SUBWAVE_COMPARISON_NOT_EQUAL;
    switch (comparison) {
    case SUBWAVE_COMPARISON_EQUAL:
    case SUBWAVE_COMPARISON_NOT_EQUAL:
        least = first;
        most = last;
        break;
    case SUBWAVE_COMPARISON_LESS:
        empty |= first == least;
        most = first - 1;
        break;
    case SUBWAVE_COMPARISON_LESS_EQUAL:
        most = last;
        break;
    case SUBWAVE_COMPARISON_GREATER:
        empty |= last == most;
        least = last + 1;
        break;
    case SUBWAVE_COMPARISON_GREATER_EQUAL:
        least = first;
        break;
    }
    if (empty) {
        least = 0;
        most = all;
        launch->outside = !launch->outside;
    }
    launch->least = least;
    launch->span = most - least;
}

static void set_equality(subwave_dtype dtype, subwave_select_launch *launch)
{
    const subwave_dtype part = subwave_part_dtype(dtype);
    if (subwave_class_of(part) != SUBWAVE_CLASS_FLOAT)
        return;
    launch->parts = part == dtype ? 1 : 2;
    if (subwave_dtype_size(part) == 2)
        launch->infinity = (uint32_t)subwave_infinity(part);
}

/* The calls with flags. */
static subwave_status select_flagged(subwave_context *context, const selection *s,
                                     subwave_select_launch *of)
{
    SUBWAVE_TRY(subwave_check_context(context, s->function));
    subwave_log_call(context, "%s(dtype=%s, n=%" PRId64 "%s)", s->function,
                     subwave_dtype_name(s->dtype), s->n, capacity_of(of).text);
    SUBWAVE_TRY(subwave_check_dtype(context, s->dtype));
    SUBWAVE_TRY(check_sizes(context, s, of));
    if (of->appends && s->n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    of->predicate = SUBWAVE_SELECT_FLAGS;
    return launch(context, s, of);
}

/* The calls with a comparison. */
static subwave_status select_compared(subwave_context *context, const selection *s,
                                      const void *scalar, subwave_select_launch *of)
{
    SUBWAVE_TRY(subwave_check_context(context, s->function));
    subwave_log_call(context, "%s(dtype=%s, comparison=%s, n=%" PRId64 "%s)", s->function,
                     subwave_dtype_name(s->dtype), subwave_comparison_name(s->comparison), s->n,
                     capacity_of(of).text);
    SUBWAVE_TRY(check_number(context, s->function + strlen("subwave_"), s->dtype));
    SUBWAVE_TRY(check_comparison(context, s->comparison));
    SUBWAVE_TRY(check_sizes(context, s, of));
    if (of->appends && s->n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_check_pointer(context, "scalar", scalar, 1));
    of->predicate = SUBWAVE_SELECT_INTERVAL;
    set_interval(s->dtype, s->comparison, scalar, of);
    return launch(context, s, of);
}

subwave_status subwave_compact(subwave_context *context, subwave_dtype dtype, int64_t n,
                               const uint8_t *flags, const void *x, void *y, int64_t *count)
{
    return select_flagged(context, &(selection){"subwave_compact", "y", NULL, dtype, n, 0},
                          &(subwave_select_launch){.flags = flags, .x = x, .y = y, .count = count});
}

subwave_status subwave_compact_if(subwave_context *context, subwave_dtype dtype,
                                  subwave_comparison comparison, const void *scalar, int64_t n,
                                  const void *x, void *y, int64_t *count)
{
    return select_compared(context,
                           &(selection){"subwave_compact_if", "y", NULL, dtype, n, comparison},
                           scalar, &(subwave_select_launch){.x = x, .y = y, .count = count});
}

subwave_status subwave_partition(subwave_context *context, subwave_dtype dtype, int64_t n,
                                 const uint8_t *flags, const void *x, void *selected, void *rest,
                                 int64_t *count)
{
    return select_flagged(context,
                          &(selection){"subwave_partition", "selected", "rest", dtype, n, 0},
                          &(subwave_select_launch){
                              .flags = flags, .x = x, .y = selected, .rest = rest, .count = count});
}

subwave_status subwave_partition_if(subwave_context *context, subwave_dtype dtype,
                                    subwave_comparison comparison, const void *scalar, int64_t n,
                                    const void *x, void *selected, void *rest, int64_t *count)
{
    return select_compared(
        context, &(selection){"subwave_partition_if", "selected", "rest", dtype, n, comparison},
        scalar, &(subwave_select_launch){.x = x, .y = selected, .rest = rest, .count = count});
}

subwave_status subwave_unique(subwave_context *context, subwave_dtype dtype, int64_t n,
                              const void *x, void *y, int64_t *count)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_unique"));
    subwave_log_call(context, "subwave_unique(dtype=%s, n=%" PRId64 ")", subwave_dtype_name(dtype),
                     n);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(check_elements(context, dtype, "n", n));
    subwave_select_launch of = {
        .predicate = SUBWAVE_SELECT_UNEQUAL, .x = x, .y = y, .count = count};
    set_equality(dtype, &of);
    return launch(context, &(selection){"subwave_unique", "y", NULL, dtype, n, 0}, &of);
}

subwave_status subwave_append(subwave_context *context, subwave_dtype dtype, int64_t n,
                              const uint8_t *flags, const void *x, int64_t capacity, void *queue,
                              int64_t *count)
{
    return select_flagged(context, &(selection){"subwave_append", "queue", NULL, dtype, n, 0},
                          &(subwave_select_launch){.flags = flags,
                                                   .x = x,
                                                   .y = queue,
                                                   .count = count,
                                                   .appends = true,
                                                   .capacity = capacity});
}

subwave_status subwave_append_if(subwave_context *context, subwave_dtype dtype,
                                 subwave_comparison comparison, const void *scalar, int64_t n,
                                 const void *x, int64_t capacity, void *queue, int64_t *count)
{
    return select_compared(
        context, &(selection){"subwave_append_if", "queue", NULL, dtype, n, comparison}, scalar,
        &(subwave_select_launch){
            .x = x, .y = queue, .count = count, .appends = true, .capacity = capacity});
}
