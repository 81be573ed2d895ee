/* SPDX-License-Identifier: MIT
 * problem.c: the compute calls as problems: their arrays on a device, one call, and the work in it.
 */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *measure_operation_name(measure_operation operation)
{
    static const char *const names[] = {
#define MEASURE_X(name, spelling) spelling,
        MEASURE_OPERATION_LIST(MEASURE_X)
#undef MEASURE_X
    };
    return operation < MEASURE_OPERATIONS ? names[operation] : "unknown";
}

const char *measure_lengths_name(measure_lengths lengths)
{
    static const char *const names[] = {
#define MEASURE_X(name, spelling) spelling,
        MEASURE_LENGTHS_LIST(MEASURE_X)
#undef MEASURE_X
    };
    return lengths < sizeof names / sizeof *names ? names[lengths] : "unknown";
}

measure_problem measure_default(measure_operation operation, subwave_dtype dtype)
{
    return (measure_problem){
        .operation = operation,
        .dtype = dtype,
        .variant = SUBWAVE_VARIANT_AUTO,
        .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
        .transpose_a = SUBWAVE_TRANSPOSE_NONE,
        .transpose_b = SUBWAVE_TRANSPOSE_NONE,
        .batch = 1,
        .stride = {MEASURE_NO_GAPS, MEASURE_NO_GAPS, MEASURE_NO_GAPS},
        .alpha = {1},
        .terms = 16,
        .group = {.kind = SUBWAVE_GROUP_SUB_GROUP,
                  .block = {256, 1, 1},
                  .fixed_size = 1,
                  .branches = 3},
        .op = operation == MEASURE_MINMAX_INDEX || operation == MEASURE_ROW_MINMAX_INDEX
                  ? SUBWAVE_OP_MINIMUM
                  : SUBWAVE_OP_PLUS,
        .scan = SUBWAVE_SCAN_INCLUSIVE,
        .direction = SUBWAVE_SHIFT_LEFT,
        .vote = SUBWAVE_VOTE_ALL,
        .amount = 1,
        .order = SUBWAVE_ORDER_FIXED,
        .conjugation = SUBWAVE_CONJUGATION_NONE,
        .comparison = operation == MEASURE_APPEND ? (subwave_comparison)0 : SUBWAVE_COMPARISON_LESS,
        .bins = 256,
        .segments = 1000,
        .offset_dtype = SUBWAVE_DTYPE_I64,
        .lengths = MEASURE_LENGTHS_RANDOM};
}

bool measure_is_product(const measure_problem *p) { return p->operation <= MEASURE_MATMUL_STACKED; }

int64_t measure_products(const measure_problem *p)
{
    return p->operation == MEASURE_MATMUL_STACKED ? (p->batch + p->terms - 1) / p->terms : p->batch;
}

bool measure_is_array(const measure_problem *p)
{
    return (p->operation >= MEASURE_REDUCE && p->operation <= MEASURE_SCATTER_ADD) ||
           p->operation == MEASURE_HISTOGRAM;
}

bool measure_is_rows(const measure_problem *p)
{
    return p->operation == MEASURE_ROW_REDUCE || p->operation == MEASURE_ROW_SCAN ||
           p->operation == MEASURE_ROW_MINMAX_INDEX;
}

bool measure_finds_index(const measure_problem *p)
{
    return p->operation == MEASURE_MINMAX_INDEX || p->operation == MEASURE_ROW_MINMAX_INDEX;
}

bool measure_has_segments(const measure_problem *p)
{
    return p->operation == MEASURE_SEGMENTED_REDUCE || p->operation == MEASURE_SEGMENTED_SCAN;
}

bool measure_is_transpose(const measure_problem *p)
{
    return p->operation == MEASURE_TRANSPOSE || p->operation == MEASURE_TRANSPOSE_STRIDED_BATCHED;
}

bool measure_is_selection(const measure_problem *p)
{
    return p->operation >= MEASURE_COMPACT && p->operation <= MEASURE_APPEND;
}

bool measure_sums_cells(const measure_problem *p)
{
    return p->operation == MEASURE_SCATTER_ADD || p->weighted;
}

bool measure_has_flags(const measure_problem *p)
{
    return p->operation == MEASURE_COMPACT || p->operation == MEASURE_PARTITION ||
           (p->operation == MEASURE_APPEND && !p->comparison);
}

bool measure_has_comparison(const measure_problem *p)
{
    return p->operation == MEASURE_COMPACT_IF || p->operation == MEASURE_PARTITION_IF ||
           (p->operation == MEASURE_APPEND && p->comparison);
}

static bool has_rest(const measure_problem *p)
{
    return p->operation == MEASURE_PARTITION || p->operation == MEASURE_PARTITION_IF;
}

size_t measure_rest_at(const measure_problem *p)
{
    const size_t y = (size_t)p->n * subwave_dtype_size(p->dtype);
    return MEASURE_COUNT_BYTES + (y + 15) / 16 * 16;
}

void measure_scalar(const measure_problem *p, void *scalar)
{
    const bool is_unsigned = !measure_is_floating(p->dtype) && !measure_is_signed(p->dtype);
    measure_encode(p->dtype, 1, &(double){is_unsigned ? 4 : 0}, scalar);
}

/* Elements from the first row's first to the last row's last, so many apart; 0: without gaps. */
static int64_t row_extent(const measure_problem *p, int64_t ld)
{
    return p->m > 0 ? (p->m - 1) * (ld ? ld : p->n) + p->n : 0;
}

int64_t measure_array_results(const measure_problem *p)
{
    return p->operation == MEASURE_ROW_SCAN           ? row_extent(p, p->ld[2])
           : measure_is_rows(p)                       ? p->m
           : p->operation == MEASURE_SCAN             ? p->n
           : p->operation == MEASURE_SEGMENTED_SCAN   ? p->n
           : p->operation == MEASURE_HISTOGRAM        ? p->bins
           : p->operation == MEASURE_SCATTER_ADD      ? p->bins
           : p->operation == MEASURE_SEGMENTED_REDUCE ? p->segments
                                                      : 1;
}

/* Of what measure_random gives. */
void measure_histogram_range(const measure_problem *p, double *lower, double *upper)
{
    *upper = measure_is_floating(p->dtype) ? 1 : 8;
    *lower = measure_is_floating(p->dtype) ? -1 : measure_is_signed(p->dtype) ? -8 : 0;
}

double measure_flops(const measure_problem *p)
{
    const int each = measure_parts(p->dtype) == 1 ? 2 : 8;
    return measure_is_product(p)
               ? each * (double)p->m * (double)p->n * (double)p->k * (double)p->batch
               : 0;
}

bool measure_has_keys(const measure_problem *p)
{
    return p->group.kind == SUBWAVE_GROUP_TANGLE || p->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
}

static bool has_predicates(const measure_problem *p)
{
    return p->group.kind == SUBWAVE_GROUP_BALLOT;
}

static size_t choice_size(const measure_problem *p)
{
    return has_predicates(p) ? sizeof(uint8_t) : measure_has_keys(p) ? sizeof(int32_t) : 0;
}

static size_t x_size(const measure_problem *p)
{
    return p->operation == MEASURE_GROUP_INFO ? 0 : subwave_dtype_size(p->dtype);
}

size_t measure_y_size(const measure_problem *p)
{
    if (p->operation == MEASURE_GROUP_INFO)
        return sizeof(subwave_group_item);
    if (measure_finds_index(p))
        return MEASURE_INDEX_BYTES + subwave_dtype_size(p->dtype);
    if (p->operation == MEASURE_HISTOGRAM && !p->weighted)
        return sizeof(int64_t);
    return subwave_dtype_size(p->operation == MEASURE_NORM2 ? measure_part(p->dtype) : p->dtype);
}

/* Offsets of segments, or indices of cells. */
static int64_t offsets_of(const measure_problem *p)
{
    return measure_has_segments(p)               ? p->segments + 1
           : p->operation == MEASURE_SCATTER_ADD ? p->n
                                                 : 0;
}

static size_t offsets_bytes(const measure_problem *p)
{
    return (size_t)offsets_of(p) * subwave_dtype_size(p->offset_dtype);
}

/* Arrays of n elements that an operation on arrays reads. */
static int inputs_of(const measure_problem *p)
{
    return p->operation == MEASURE_DOT || p->weighted ? 2 : 1;
}

double measure_bytes(const measure_problem *p)
{
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    if (measure_is_product(p))
        return (m * k + k * n) * (double)subwave_dtype_size(p->dtype) * (double)p->batch +
               m * n * (double)subwave_dtype_size(measure_product(p->dtype)) *
                   (double)measure_products(p);
    if (measure_is_transpose(p))
        return 2 * m * n * (double)p->batch * (double)subwave_dtype_size(p->dtype);
    if (p->operation == MEASURE_ROW_SCAN)
        return 2 * m * n * (double)x_size(p);
    if (measure_is_rows(p))
        return m * n * (double)x_size(p) +
               (double)measure_y_size(p) * (double)measure_array_results(p);
    if (measure_is_selection(p)) { /* about half is selected */
        const double part = !measure_has_comparison(p)                      ? 0.5
                            : p->comparison == SUBWAVE_COMPARISON_EQUAL     ? 0
                            : p->comparison == SUBWAVE_COMPARISON_NOT_EQUAL ? 1
                                                                            : 0.5;
        return n * (measure_has_flags(p) + (double)x_size(p) * (1 + (has_rest(p) ? 1 : part))) +
               sizeof(int64_t);
    }
    if (measure_is_array(p))
        return inputs_of(p) * (double)x_size(p) * n +
               (double)measure_y_size(p) * (double)measure_array_results(p) +
               (double)offsets_bytes(p);
    const size_t ids = p->operation == MEASURE_GROUP_SELECT ? sizeof(uint32_t) : 0;
    const size_t members = p->members ? sizeof(uint64_t) : 0;
    return (double)(x_size(p) + measure_y_size(p) + choice_size(p) + ids + members) * n;
}

/* --- matrices as stored ---------------------------------------------------------------------- */

/* Whether lines in memory are columns of op(X), for A, B and C. */
static bool is_flipped(const measure_problem *p, int which)
{
    const subwave_transpose_kind transposes[] = {p->transpose_a, p->transpose_b,
                                                 measure_is_transpose(p) ? SUBWAVE_TRANSPOSE_YES
                                                                         : SUBWAVE_TRANSPOSE_NONE};
    return (p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR) !=
           (transposes[which] != SUBWAVE_TRANSPOSE_NONE);
}

static int64_t rows_of(const measure_problem *p, int which) { return which == 1 ? p->k : p->m; }
static int64_t columns_of(const measure_problem *p, int which) { return which == 0 ? p->k : p->n; }

/* Elements from a matrix's first to behind its last. */
static int64_t extent_of(const measure_problem *p, int which)
{
    const int64_t rows = rows_of(p, which), columns = columns_of(p, which);
    const int64_t lines = is_flipped(p, which) ? columns : rows,
                  length = is_flipped(p, which) ? rows : columns;
    return lines > 0 && length > 0 ? (lines - 1) * p->ld[which] + length : 0;
}

/* How many there are. */
static int64_t matrices_of(const measure_problem *p, int which)
{
    return which == 2 && measure_is_product(p) ? measure_products(p) : p->batch;
}

/* Elements of the whole batch. */
static int64_t elements_of(const measure_problem *p, int which)
{
    const int64_t extent = extent_of(p, which), matrices = matrices_of(p, which),
                  apart = p->stride[which] < 0 ? -p->stride[which] : p->stride[which];
    return extent > 0 && matrices > 0 ? extent + apart * (matrices - 1) : 0;
}

/* The first entry's first element. */
static int64_t origin_of(const measure_problem *p, int which)
{
    return p->stride[which] < 0 && elements_of(p, which) ? -p->stride[which] * (p->batch - 1) : 0;
}

int64_t measure_index(const measure_problem *p, int which, int64_t entry, int64_t row,
                      int64_t column)
{
    return origin_of(p, which) + entry * p->stride[which] +
           (is_flipped(p, which) ? column * p->ld[which] + row : row * p->ld[which] + column);
}

/* Fills in what was left out; false where an array exceeds any memory. */
static bool complete(measure_problem *p)
{
    const double most = 0x1p48; /* elements */
    for (int which = 0; which < 3; ++which) {
        const int64_t rows = rows_of(p, which), columns = columns_of(p, which);
        const int64_t least = is_flipped(p, which) ? rows : columns;
        if (!p->ld[which])
            p->ld[which] = least > 0 ? least : 1;
        const double lines = (double)(is_flipped(p, which) ? columns : rows);
        if (lines * (double)p->ld[which] > most)
            return false;
        if (p->stride[which] == MEASURE_NO_GAPS)
            p->stride[which] = extent_of(p, which);
        if (fabs((double)p->stride[which]) * (double)p->batch > most)
            return false;
    }
    return true;
}

/* --- placing --------------------------------------------------------------------------------- */

const char measure_no_memory[] = "no memory on the host";

static bool out_of_memory(measure_data *data)
{
    data->reason = measure_no_memory;
    return false;
}

static bool done(measure_data *data, subwave_status status)
{
    if (status != SUBWAVE_STATUS_SUCCESS)
        data->reason = *subwave_last_error(data->context) ? subwave_last_error(data->context)
                                                          : subwave_status_text(status);
    return status == SUBWAVE_STATUS_SUCCESS;
}

/* What A, B or C is of. */
static subwave_dtype type_of(const measure_problem *p, int which)
{
    return which == 2 && measure_is_product(p) ? measure_product(p->dtype) : p->dtype;
}

static bool place_values(measure_data *data, int which, measure_array *array, int64_t count,
                         const double *values)
{
    void *elements = malloc(array->bytes + 1);
    if (!elements)
        return out_of_memory(data);
    measure_encode(type_of(&data->problem, which), count, values, elements);
    const bool placed = done(data, measure_fill(array, elements));
    free(elements);
    return placed;
}

/* op(X) of all entries, each row-major; of one where all are the same. */
static double *gather(const measure_problem *p, int which, const double *stored)
{
    const int64_t rows = rows_of(p, which), columns = columns_of(p, which);
    const int64_t entries = p->stride[which] ? p->batch : 1;
    const int parts = measure_parts(p->dtype);
    const subwave_transpose_kind transposes[] = {p->transpose_a, p->transpose_b};
    double *values = malloc((size_t)(entries * rows * columns * parts) * sizeof *values + 1),
           *to = values;
    for (int64_t e = 0; values && e < entries; ++e)
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                const double *from = stored + measure_index(p, which, e, i, j) * parts;
                *to++ = from[0];
                if (parts == 2)
                    *to++ = transposes[which] == SUBWAVE_TRANSPOSE_CONJUGATE ? -from[1] : from[1];
            }
    return values;
}

static bool place_operand(measure_data *data, int which, measure_array *array, double **values,
                          uint64_t seed)
{
    const measure_problem *p = &data->problem;
    const int64_t count = elements_of(p, which);
    const bool is_c = which == 2, is_read = !is_c || p->beta[0] != 0 || p->beta[1] != 0;
    const size_t bytes = (size_t)count * subwave_dtype_size(type_of(p, which));
    if (!done(data, measure_allocate(array, data->context, bytes, data->sets)))
        return false;
    if (!is_read)
        return true;
    double *stored = malloc((size_t)(count * measure_parts(p->dtype)) * sizeof *stored + 1);
    if (!stored)
        return out_of_memory(data);
    measure_random(p->dtype, count, seed, stored);
    const bool placed = place_values(data, which, array, count, stored);
    const bool conjugate =
        (which == 0 ? p->transpose_a : p->transpose_b) == SUBWAVE_TRANSPOSE_CONJUGATE;
    const bool as_is =
        is_c || (!is_flipped(p, which) && !conjugate && p->stride[which] == extent_of(p, which) &&
                 count == rows_of(p, which) * columns_of(p, which) * p->batch);
    *values = as_is ? stored : gather(p, which, stored);
    if (!as_is)
        free(stored);
    return placed && (*values || out_of_memory(data));
}

static bool place_list(measure_data *data, int which, measure_array *list,
                       const measure_array *array)
{
    const measure_problem *p = &data->problem;
    const void **addresses = malloc((size_t)p->batch * sizeof *addresses + 1);
    if (!addresses)
        return out_of_memory(data);
    bool placed = done(data, measure_allocate(list, data->context,
                                              (size_t)p->batch * sizeof *addresses, data->sets));
    for (int set = 0; placed && set < data->sets; ++set) {
        for (int64_t e = 0; e < p->batch; ++e)
            addresses[e] =
                (const char *)measure_at(array, set) +
                measure_index(p, which, e, 0, 0) * (int64_t)subwave_dtype_size(type_of(p, which));
        placed = done(data, measure_write(list, set, addresses));
    }
    free(addresses);
    return placed;
}

/* The offsets of a stack's entries, and a workspace for as many. */
static bool place_stack(measure_data *data)
{
    const measure_problem *p = &data->problem;
    const int64_t products = measure_products(p);
    const bool wide = p->offset_dtype == SUBWAVE_DTYPE_I64;
    const size_t size = subwave_dtype_size(p->offset_dtype), bytes = 3 * (size_t)p->batch * size,
                 needed = 4160 + 108 * (size_t)p->batch;
    for (int which = 0; which < 3; ++which)
        if (!wide && elements_of(p, which) > INT32_MAX) {
            data->reason = "offsets of 32 bits do not reach the last matrices";
            return false;
        }
    char *offsets = malloc(bytes + 1);
    if (!offsets)
        return out_of_memory(data);
    int64_t entry = 0;
    for (int64_t turn = 0; turn < (p->scattered ? p->terms : products); ++turn)
        for (int64_t next = 0; next < (p->scattered ? products : p->terms); ++next) {
            const int64_t c = p->scattered ? next : turn, term = p->scattered ? turn : next,
                          matrix = c * p->terms + term;
            for (int which = 0; matrix < p->batch && which < 3; ++which) {
                const int64_t at = measure_index(p, which, which == 2 ? c : matrix, 0, 0);
                const int32_t narrow = (int32_t)at;
                memcpy(offsets + (size_t)(3 * entry + which) * size,
                       wide ? (const void *)&at : (const void *)&narrow, size);
            }
            entry += matrix < p->batch;
        }
    const bool placed =
        done(data, measure_allocate(&data->id, data->context, bytes, data->sets)) &&
        done(data, measure_fill(&data->id, offsets)) &&
        done(data, measure_allocate(&data->workspace, data->context, needed, 1)) &&
        done(data, subwave_set_workspace(data->context, measure_at(&data->workspace, 0),
                                         (int64_t)needed));
    free(offsets);
    return placed;
}

static bool place_product(measure_data *data)
{
    const measure_problem *p = &data->problem;
    if (p->terms < 1) {
        data->reason = "a C has one term at least";
        return false;
    }
    if (!complete(&data->problem))
        return out_of_memory(data);
    if (!measure_is_scalar(p->dtype, p->alpha[0]) || !measure_is_scalar(p->dtype, p->beta[0])) {
        data->reason = "alpha and beta of integers are whole numbers of 32 bits";
        return false;
    }
    if (!place_operand(data, 0, &data->a, &data->a_values, 0x9e3779b97f4a7c15) ||
        !place_operand(data, 1, &data->b, &data->b_values, 0xd1b54a32d192ed03) ||
        !place_operand(data, 2, &data->c, &data->c_values, 0x2545f4914f6cdd1d))
        return false;
    if (p->operation == MEASURE_MATMUL_STACKED)
        return place_stack(data);
    return p->operation != MEASURE_MATMUL_BATCHED ||
           (place_list(data, 0, &data->a_list, &data->a) &&
            place_list(data, 1, &data->b_list, &data->b) &&
            place_list(data, 2, &data->c_list, &data->c));
}

static bool place_transpose(measure_data *data)
{
    measure_problem *p = &data->problem;
    p->k = p->n; /* of A; there is no B */
    return (complete(p) || out_of_memory(data)) &&
           place_operand(data, 0, &data->a, &data->a_values, 0x9e3779b97f4a7c15) &&
           place_operand(data, 2, &data->c, &data->c_values, 0);
}

/* What is voted on must not all be one answer: every other 64 elements are on one side. */
static void fill_votes(const measure_problem *p, unsigned char *x)
{
    for (int64_t i = 0; i < p->n; ++i) {
        const bool one_side = i / 64 % 2;
        if (p->vote == SUBWAVE_VOTE_ALL)
            x[i] = one_side ? 1 : x[i];
        else
            x[i] = !one_side && x[i] == 7;
    }
}

/* Boundaries as evenly spaced as the type allows. */
static bool place_boundaries(measure_data *data)
{
    const measure_problem *p = &data->problem;
    const size_t bytes = ((size_t)p->bins + 1) * subwave_dtype_size(p->dtype);
    double lower, upper, *values = malloc(((size_t)p->bins + 1) * sizeof *values);
    void *elements = malloc(bytes);
    bool placed = (values && elements) || out_of_memory(data);
    measure_histogram_range(p, &lower, &upper);
    for (int64_t i = 0; placed && i <= p->bins; ++i) {
        values[i] = lower + (upper - lower) * (double)i / (double)p->bins;
        if (!measure_is_floating(p->dtype))
            values[i] = ceil(values[i]);
    }
    if (placed) {
        measure_encode(p->dtype, p->bins + 1, values, elements);
        measure_decode(p->dtype, p->bins + 1, elements, values); /* as they were rounded */
        data->b_values = values;
        placed = done(data, measure_allocate(&data->b, data->context, bytes, data->sets)) &&
                 done(data, measure_fill(&data->b, elements));
    } else
        free(values);
    free(elements);
    return placed;
}

/* A segment's part of all elements. */
static double length_of(const measure_problem *p, int64_t segment, uint64_t *seed)
{
    const double random = (double)(measure_next(seed) >> 11) * 0x1p-53;
    switch (p->lengths) {
    case MEASURE_LENGTHS_POWER:
        return 1 / (random + 1e-6);
    case MEASURE_LENGTHS_EQUAL:
        return 1;
    case MEASURE_LENGTHS_HALF_EMPTY:
        return segment % 2 ? random : 0;
    default:
        return random;
    }
}

static void fill_offsets(const measure_problem *p, int64_t *offsets)
{
    double all = 0, upto = 0;
    uint64_t seed = 1;
    if (p->operation == MEASURE_SCATTER_ADD) {
        for (int64_t i = 0; i < p->n; ++i) {
            const uint64_t random = measure_next(&seed) >> 8;
            offsets[i] = p->skewed && i % 16 ? p->bins / 2 : (int64_t)(random % (uint64_t)p->bins);
        }
        return;
    }
    for (int64_t s = 0; s < p->segments; ++s)
        all += length_of(p, s, &seed);
    seed = 1;
    offsets[0] = 0;
    for (int64_t s = 1; s <= p->segments; ++s) {
        upto += length_of(p, s - 1, &seed);
        offsets[s] = upto < all && s < p->segments ? (int64_t)((double)p->n * (upto / all)) : p->n;
    }
}

static bool place_offsets(measure_data *data)
{
    const measure_problem *p = &data->problem;
    const int64_t count = offsets_of(p);
    if (count == 0)
        return true;
    data->offsets = malloc((size_t)count * sizeof *data->offsets);
    int32_t *narrow = malloc((size_t)count * sizeof *narrow);
    bool placed = (data->offsets && narrow) || out_of_memory(data);
    if (placed) {
        fill_offsets(p, data->offsets);
        for (int64_t i = 0; i < count; ++i)
            narrow[i] = (int32_t)data->offsets[i];
        placed =
            done(data, measure_allocate(&data->id, data->context, offsets_bytes(p), data->sets)) &&
            done(data, measure_fill(&data->id, p->offset_dtype == SUBWAVE_DTYPE_I64
                                                   ? (const void *)data->offsets
                                                   : narrow));
    }
    free(narrow);
    if (placed && p->keyed) {
        data->ids = malloc((size_t)p->n * sizeof *data->ids + 1);
        placed = data->ids || out_of_memory(data);
        for (int64_t s = 0; placed && s < p->segments; ++s)
            for (int64_t i = data->offsets[s]; i < data->offsets[s + 1]; ++i)
                data->ids[i] = (uint32_t)s;
        placed = placed &&
                 done(data, measure_allocate(&data->b, data->context,
                                             (size_t)p->n * sizeof *data->ids, data->sets)) &&
                 done(data, measure_fill(&data->b, data->ids));
    }
    return placed;
}

/* The first `count` numbers of measure_random, up to where they repeat. Null: no memory. */
static double *random_numbers(subwave_dtype part, int64_t count, uint64_t seed)
{
    count = count < MEASURE_PERIOD ? count : MEASURE_PERIOD;
    double *const numbers = malloc((size_t)count * sizeof *numbers + 1);
    if (numbers)
        measure_random(part, count, seed, numbers);
    return numbers;
}

/* The number of the random element that is element e of an input. */
static int64_t drawn_for(const measure_problem *p, int input, int64_t e)
{
    if (p->operation == MEASURE_UNIQUE)
        return e / 2; /* two alike */
    const bool is_skewed = p->skewed && p->operation == MEASURE_HISTOGRAM && input == 0;
    return is_skewed && e % 16 ? 0 : e;
}

static bool fill_elements(const measure_problem *p, int input, int64_t count,
                          unsigned char *elements)
{
    enum { CHUNK = 1024 }; /* elements */
    const int parts = measure_parts(p->dtype);
    double *const numbers =
        random_numbers(measure_part(p->dtype), count * parts, (uint64_t)input + 1);
    for (int64_t first = 0; numbers && first < count; first += CHUNK) {
        const int64_t here = count - first < CHUNK ? count - first : CHUNK;
        double of[2 * CHUNK];
        for (int64_t e = 0; e < here; ++e)
            for (int part = 0; part < parts; ++part)
                of[e * parts + part] =
                    numbers[(drawn_for(p, input, first + e) * parts + part) % MEASURE_PERIOD];
        measure_encode(p->dtype, here, of, elements + (size_t)first * subwave_dtype_size(p->dtype));
    }
    free(numbers);
    return numbers;
}

static bool fill_flags(const measure_problem *p, uint8_t *flags)
{
    double *const numbers = random_numbers(SUBWAVE_DTYPE_U8, p->n, 2); /* 0 to 7 */
    for (int64_t i = 0; numbers && i < p->n; ++i)
        flags[i] = numbers[i % MEASURE_PERIOD] < 4;
    free(numbers);
    return numbers;
}

static bool place_elements(measure_data *data, int64_t count)
{
    const measure_problem *p = &data->problem;
    const size_t bytes = (size_t)count * x_size(p);
    measure_array *const inputs[] = {&data->a, p->weighted ? &data->weights : &data->b};
    data->x = malloc((size_t)inputs_of(p) * bytes + 1);
    bool placed = data->x || out_of_memory(data);
    for (int i = 0; placed && i < inputs_of(p); ++i) {
        unsigned char *const elements = data->x + (size_t)i * bytes;
        placed = (fill_elements(p, i, count, elements) || out_of_memory(data)) &&
                 done(data, measure_allocate(inputs[i], data->context, bytes, data->sets)) &&
                 done(data, measure_fill(inputs[i], elements));
    }
    if (placed && measure_has_flags(p)) {
        data->ids = malloc((size_t)p->n + 1);
        placed = ((data->ids && fill_flags(p, (uint8_t *)data->ids)) || out_of_memory(data)) &&
                 done(data, measure_allocate(&data->b, data->context, (size_t)p->n, data->sets)) &&
                 done(data, measure_fill(&data->b, data->ids));
    }
    if (placed && measure_sums_cells(p)) { /* what the context has may be too little */
        const size_t needed = 4352 + 20 * (size_t)p->bins;
        placed = done(data, measure_allocate(&data->workspace, data->context, needed, 1)) &&
                 done(data, subwave_set_workspace(data->context, measure_at(&data->workspace, 0),
                                                  (int64_t)needed));
    }
    const size_t results = measure_is_selection(p)
                               ? measure_rest_at(p) + (has_rest(p) ? bytes : 0)
                               : (size_t)measure_array_results(p) * measure_y_size(p);
    return placed && (!p->bounded || place_boundaries(data)) && place_offsets(data) &&
           done(data, measure_allocate(&data->c, data->context, results, data->sets));
}

static bool place_array(measure_data *data)
{
    const measure_problem *p = &data->problem;
    const double most = 0x1p40;
    return (double)p->n > most || (double)p->bins > most || (double)p->segments > most
               ? out_of_memory(data)
               : place_elements(data, p->n);
}

static bool place_rows(measure_data *data)
{
    measure_problem *p = &data->problem;
    for (int i = 0; i < 3; i += 2) {
        if (p->ld[i] == 0)
            p->ld[i] = p->n > 1 ? p->n : 1;
        if ((double)p->m * (double)p->ld[i] > 0x1p40 || (double)p->n > 0x1p40)
            return out_of_memory(data);
    }
    return place_elements(data, row_extent(p, p->ld[0]));
}

static bool place_group(measure_data *data)
{
    const measure_problem *p = &data->problem;
    const size_t n = (size_t)p->n;
    if ((double)p->n > 0x1p40)
        return out_of_memory(data);
    double *values = malloc(n * (size_t)measure_parts(p->dtype) * sizeof *values + 1);
    double *small = malloc(n * sizeof *small + 1); /* 0 to 7 */
    data->x = malloc(n * x_size(p) + 1);
    data->choices = malloc(n * sizeof *data->choices + 1);
    data->ids = malloc(n * sizeof *data->ids + 1);
    bool placed = values && small && data->x && data->choices && data->ids;
    if (!placed)
        out_of_memory(data);
    if (placed && x_size(p)) {
        measure_random(p->dtype, p->n, 1, values);
        measure_encode(p->dtype, p->n, values, data->x);
        if (p->operation == MEASURE_GROUP_VOTE)
            fill_votes(p, data->x);
    }
    if (placed)
        measure_random(SUBWAVE_DTYPE_U32, p->n, 2, small);
    for (int64_t i = 0; placed && i < p->n; ++i) {
        const int number =
            (int)small[i] + (p->group.branches > 8 ? 8 * (int)small[(i + 1) % p->n] : 0);
        if (has_predicates(p))
            ((uint8_t *)data->choices)[i] = small[i] < 3;
        else
            data->choices[i] = p->group.branches > 0 ? number % p->group.branches : 0;
        data->ids[i] = (uint32_t)small[i];
    }
    free(values);
    free(small);
    return placed &&
           done(data, measure_allocate(&data->a, data->context, n * x_size(p), data->sets)) &&
           done(data, measure_allocate(&data->b, data->context,
                                       p->members ? n * sizeof(uint64_t) : 0, data->sets)) &&
           done(data,
                measure_allocate(&data->c, data->context, n * measure_y_size(p), data->sets)) &&
           done(data,
                measure_allocate(&data->choice, data->context, n * choice_size(p), data->sets)) &&
           done(data,
                measure_allocate(&data->id, data->context,
                                 p->operation == MEASURE_GROUP_SELECT ? n * sizeof(uint32_t) : 0,
                                 data->sets)) &&
           done(data, measure_fill(&data->a, data->x)) &&
           done(data, measure_fill(&data->choice, data->choices)) &&
           done(data, measure_fill(&data->id, data->ids));
}

bool measure_place(measure_data *data, subwave_context *context, const measure_problem *problem,
                   int sets)
{
    *data = (measure_data){.problem = *problem, .context = context, .sets = sets};
    subwave_device_properties about;
    if (!done(data, subwave_context_info(context, &about)))
        return false;
    data->wave = about.sub_group_sizes[0];
    return (measure_is_product(problem)     ? place_product(data)
            : measure_is_array(problem)     ? place_array(data)
            : measure_is_rows(problem)      ? place_rows(data)
            : measure_is_transpose(problem) ? place_transpose(data)
                                            : place_group(data)) &&
           done(data, measure_reset(data));
}

void measure_release(measure_data *data)
{
    measure_array *const arrays[] = {&data->a,       &data->b,        &data->c,      &data->a_list,
                                     &data->b_list,  &data->c_list,   &data->choice, &data->id,
                                     &data->weights, &data->workspace};
    if (measure_at(&data->workspace, 0))
        subwave_set_workspace(data->context, NULL, 0);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        measure_free(arrays[i]);
    void *const copies[] = {data->a_values, data->b_values, data->c_values, data->expected,
                            data->x,        data->choices,  data->ids,      data->offsets};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i)
        free(copies[i]);
}

subwave_status measure_reset(const measure_data *data)
{
    if (data->problem.operation == MEASURE_SCATTER_ADD) {
        void *zeros = calloc(data->c.bytes + 1, 1);
        const subwave_status status =
            zeros ? measure_write(&data->c, data->sets - 1, zeros) : SUBWAVE_STATUS_OUT_OF_MEMORY;
        free(zeros);
        return status;
    }
    if (!data->c_values)
        return measure_poison(&data->c, data->sets - 1);
    void *elements = malloc(data->c.bytes + 1);
    if (!elements)
        return SUBWAVE_STATUS_OUT_OF_MEMORY;
    measure_encode(type_of(&data->problem, 2), elements_of(&data->problem, 2), data->c_values,
                   elements);
    const subwave_status status = measure_write(&data->c, data->sets - 1, elements);
    free(elements);
    return status;
}

/* --- the call -------------------------------------------------------------------------------- */

/* `which` of A, B and C in a set, where the call begins to count. */
static void *first_of(const measure_data *data, int which, const measure_array *array, int set)
{
    return (char *)measure_at(array, set) +
           origin_of(&data->problem, which) *
               (int64_t)subwave_dtype_size(type_of(&data->problem, which));
}

static subwave_status queue_product(const measure_data *data, int set)
{
    const measure_problem *p = &data->problem;
    double alpha[2], beta[2]; /* room for any element, aligned */
    const subwave_dtype scalars = measure_sums(p->dtype);
    measure_encode(scalars, 1, p->alpha, alpha);
    measure_encode(scalars, 1, p->beta, beta);
    if (p->operation == MEASURE_MATMUL_BATCHED)
        return subwave_matmul_batched(
            data->context, p->dtype, p->layout, p->transpose_a, p->transpose_b, p->m, p->n, p->k,
            alpha, measure_at(&data->a_list, set), p->ld[0], measure_at(&data->b_list, set),
            p->ld[1], beta, measure_at(&data->c_list, set), p->ld[2], p->batch);
    const void *a = first_of(data, 0, &data->a, set), *b = first_of(data, 1, &data->b, set);
    void *c = first_of(data, 2, &data->c, set);
    if (p->operation == MEASURE_MATMUL_STRIDED_BATCHED)
        return subwave_matmul_strided_batched(data->context, p->dtype, p->layout, p->transpose_a,
                                              p->transpose_b, p->m, p->n, p->k, alpha, a, p->ld[0],
                                              p->stride[0], b, p->ld[1], p->stride[1], beta, c,
                                              p->ld[2], p->stride[2], p->batch);
    if (p->operation == MEASURE_MATMUL_STACKED)
        return subwave_matmul_stacked(data->context, p->dtype, p->layout, p->transpose_a,
                                      p->transpose_b, p->m, p->n, p->k, alpha, a, p->ld[0], b,
                                      p->ld[1], beta, c, p->ld[2], p->offset_dtype, 0,
                                      measure_at(&data->id, set), p->batch);
    return subwave_matmul(data->context, p->variant, p->dtype, p->layout, p->transpose_a,
                          p->transpose_b, p->m, p->n, p->k, alpha, a, p->ld[0], b, p->ld[1], beta,
                          c, p->ld[2]);
}

static subwave_status queue_transpose(const measure_data *data, int set)
{
    const measure_problem *p = &data->problem;
    const void *x = first_of(data, 0, &data->a, set);
    void *y = first_of(data, 2, &data->c, set);
    if (p->operation == MEASURE_TRANSPOSE)
        return subwave_transpose(data->context, p->dtype, p->layout, p->m, p->n, x, p->ld[0], y,
                                 p->ld[2]);
    return subwave_transpose_strided_batched(data->context, p->dtype, p->layout, p->m, p->n, x,
                                             p->ld[0], p->stride[0], y, p->ld[2], p->stride[2],
                                             p->batch);
}

/* Null if the call has none. */
static const void *first_value(const measure_problem *p, uint64_t *one)
{
    if (p->has_init)
        measure_encode(p->dtype, 1, (double[]){1, 0}, one);
    return p->has_init ? one : NULL;
}

/* A call appends to an empty queue: one that selects nothing makes it empty, and is timed too. */
static subwave_status queue_append(const measure_data *data, int set, const void *scalar)
{
    const measure_problem *p = &data->problem;
    const void *x = measure_at(&data->a, set);
    int64_t *const count = measure_at(&data->c, set);
    void *const queue = (char *)count + MEASURE_COUNT_BYTES;
    const subwave_status status =
        subwave_compact(data->context, p->dtype, 0, NULL, NULL, NULL, count);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    return p->comparison ? subwave_append_if(data->context, p->dtype, p->comparison, scalar, p->n,
                                             x, p->n, queue, count)
                         : subwave_append(data->context, p->dtype, p->n, measure_at(&data->b, set),
                                          x, p->n, queue, count);
}

static subwave_status queue_histogram(const measure_data *data, int set)
{
    const measure_problem *p = &data->problem;
    subwave_context *const on = data->context;
    const void *x = measure_at(&data->a, set), *boundaries = measure_at(&data->b, set),
               *weights = measure_at(&data->weights, set);
    void *y = measure_at(&data->c, set);
    double lower, upper;
    measure_histogram_range(p, &lower, &upper);
    if (p->weighted)
        return p->bounded ? subwave_histogram_by_boundaries_weighted(
                                on, p->dtype, p->order, p->bins, boundaries, p->n, x, weights, y)
                          : subwave_histogram_weighted(on, p->dtype, p->order, p->bins, lower,
                                                       upper, p->n, x, weights, y);
    return p->bounded
               ? subwave_histogram_by_boundaries(on, p->dtype, p->bins, boundaries, p->n, x, y)
               : subwave_histogram(on, p->dtype, p->bins, lower, upper, p->n, x, y);
}

static subwave_status queue_array(const measure_data *data, int set)
{
    const measure_problem *p = &data->problem;
    const void *x = measure_at(&data->a, set);
    void *y = measure_at(&data->c, set);
    uint64_t one, scalar[2];
    const void *init = first_value(p, &one);
    char *const selected = (char *)y + MEASURE_COUNT_BYTES;
    if (measure_has_comparison(p))
        measure_scalar(p, scalar);
    switch (p->operation) {
    case MEASURE_COMPACT:
        return subwave_compact(data->context, p->dtype, p->n, measure_at(&data->b, set), x,
                               selected, y);
    case MEASURE_COMPACT_IF:
        return subwave_compact_if(data->context, p->dtype, p->comparison, scalar, p->n, x, selected,
                                  y);
    case MEASURE_PARTITION:
        return subwave_partition(data->context, p->dtype, p->n, measure_at(&data->b, set), x,
                                 selected, (char *)y + measure_rest_at(p), y);
    case MEASURE_PARTITION_IF:
        return subwave_partition_if(data->context, p->dtype, p->comparison, scalar, p->n, x,
                                    selected, (char *)y + measure_rest_at(p), y);
    case MEASURE_UNIQUE:
        return subwave_unique(data->context, p->dtype, p->n, x, selected, y);
    case MEASURE_APPEND:
        return queue_append(data, set, scalar);
    case MEASURE_HISTOGRAM:
        return queue_histogram(data, set);
    case MEASURE_SCAN:
        return subwave_scan(data->context, p->dtype, p->op, p->scan, p->order, p->n, init, x, y);
    case MEASURE_DOT:
        return subwave_dot(data->context, p->dtype, p->conjugation, p->order, p->n, x,
                           measure_at(&data->b, set), SUBWAVE_PLACE_DEVICE, y);
    case MEASURE_NORM2:
        return subwave_norm2(data->context, p->dtype, p->order, p->n, x, SUBWAVE_PLACE_DEVICE, y);
    case MEASURE_MINMAX_INDEX:
        return subwave_minmax_index(data->context, p->dtype, p->op, p->n, x, SUBWAVE_PLACE_DEVICE,
                                    (char *)y + MEASURE_INDEX_BYTES, y);
    case MEASURE_SEGMENTED_REDUCE:
        return subwave_segmented_reduce(data->context, p->dtype, p->op, p->offset_dtype,
                                        p->segments, measure_at(&data->id, set), p->n, x, y);
    case MEASURE_SEGMENTED_SCAN:
        return subwave_segmented_scan(data->context, p->dtype, p->op, p->scan, p->offset_dtype,
                                      p->segments, measure_at(&data->id, set), p->n, x, y);
    case MEASURE_SCATTER_ADD:
        return subwave_scatter_add(data->context, p->dtype, p->order, p->n, p->offset_dtype,
                                   measure_at(&data->id, set), x, p->bins, y);
    default:
        return subwave_reduce(data->context, p->dtype, p->op, p->order, p->n, init, x,
                              SUBWAVE_PLACE_DEVICE, y);
    }
}

static subwave_status queue_rows(const measure_data *data, int set)
{
    const measure_problem *p = &data->problem;
    const void *x = measure_at(&data->a, set);
    void *y = measure_at(&data->c, set);
    if (p->operation == MEASURE_ROW_SCAN)
        return subwave_row_scan(data->context, p->dtype, p->op, p->scan, p->m, p->n, x, p->ld[0], y,
                                p->ld[2]);
    if (p->operation == MEASURE_ROW_MINMAX_INDEX)
        return subwave_row_minmax_index(data->context, p->dtype, p->op, p->m, p->n, x, p->ld[0],
                                        (char *)y + p->m * MEASURE_INDEX_BYTES, y);
    return subwave_row_reduce(data->context, p->dtype, p->op, p->m, p->n, x, p->ld[0], y);
}

subwave_status measure_queue_group(const measure_data *data, int set, uint64_t *members)
{
    const measure_problem *p = &data->problem;
    subwave_context *const on = data->context;
    const void *x = measure_at(&data->a, set);
    void *y = measure_at(&data->c, set);
    subwave_group g = p->group;
    g.predicate = measure_at(&data->choice, set);
    g.key = measure_at(&data->choice, set);
    g.members = members;
    uint64_t one;
    const void *init = first_value(p, &one);
    switch (p->operation) {
    case MEASURE_GROUP_REDUCE:
        return subwave_group_reduce(on, p->dtype, p->op, &g, p->n, init, x, y);
    case MEASURE_GROUP_SCAN:
        return subwave_group_scan(on, p->dtype, p->op, p->scan, &g, p->n, init, x, y);
    case MEASURE_GROUP_BROADCAST:
        return subwave_group_broadcast(on, p->dtype, &g, p->n, p->amount, x, y);
    case MEASURE_GROUP_SHIFT:
        return subwave_group_shift(on, p->dtype, p->direction, &g, p->n, p->amount, x, y);
    case MEASURE_GROUP_PERMUTE:
        return subwave_group_permute(on, p->dtype, &g, p->n, p->amount, x, y);
    case MEASURE_GROUP_SELECT:
        return subwave_group_select(on, p->dtype, &g, p->n, measure_at(&data->id, set), x, y);
    case MEASURE_GROUP_VOTE:
        return subwave_group_vote(on, p->vote, &g, p->n, x, y);
    default:
        return subwave_group_info(on, &g, p->n, y);
    }
}

subwave_status measure_queue(const measure_data *data, int set)
{
    if (measure_is_product(&data->problem))
        return queue_product(data, set);
    if (measure_is_array(&data->problem))
        return queue_array(data, set);
    if (measure_is_rows(&data->problem))
        return queue_rows(data, set);
    if (measure_is_transpose(&data->problem))
        return queue_transpose(data, set);
    return measure_queue_group(data, set, data->problem.members ? measure_at(&data->b, set) : NULL);
}
