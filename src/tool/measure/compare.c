/* SPDX-License-Identifier: MIT
 * compare.c: how far a result is from right. Sums are compared with sums in f64.
 */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double worse(double a, double b)
{
    return isnan(b) ? INFINITY : a > b ? a : b; /* a NaN must not hide */
}

/* Two roundings per product of elements, one of the product and one of the sum, and those of
 * complex products more; three for alpha and beta; and where sums are of a wider type than C, one
 * more. */
static double product_bound(const measure_problem *p)
{
    const bool scaled = p->alpha[0] != 1 || p->alpha[1] != 0 || p->beta[0] != 0 || p->beta[1] != 0;
    const double products = p->operation == MEASURE_MATMUL_STACKED ? (double)p->terms : 1,
                 terms = (double)p->k * products + (scaled ? 3 : 0);
    const double roundings = measure_parts(p->dtype) == 1 ? terms : 2 * terms + 2;
    const subwave_dtype sums = measure_sums(p->dtype);
    const double last = sums != p->dtype ? measure_epsilon(p->dtype) / 2 : 0;
    return roundings * measure_epsilon(sums) + last;
}

double measure_bound(const measure_problem *p)
{
    if (measure_is_product(p))
        return product_bound(p);
    /* Of 2^31 elements, a sum of a work-item takes some thousand. */
    if (measure_is_array(p) || measure_is_rows(p))
        return 4096 * measure_epsilon(measure_sums(p->dtype)) + measure_epsilon(p->dtype);
    return p->operation == MEASURE_GROUP_REDUCE || p->operation == MEASURE_GROUP_SCAN
               ? 64 * measure_epsilon(p->dtype)
               : 0;
}

/* --- products -------------------------------------------------------------------------------- */

measure_coverage measure_covers(const measure_problem *p)
{
    const double budget = 2e8,
                 element_budget = 2e7; /* multiplications; down a column they are slow */
    const double depth =
        (double)p->k * (p->operation == MEASURE_MATMUL_STACKED ? (double)p->terms : 1);
    const double row_cost = (double)p->n * depth * measure_parts(p->dtype) + 1;
    const double rows = (double)p->m * (double)measure_products(p);
    if (row_cost * rows <= budget)
        return (measure_coverage){.rows = p->m * measure_products(p)};
    const double elements = element_budget / (depth + 1);
    return (measure_coverage){.rows = (int64_t)(budget / row_cost),
                              .elements = elements < 16      ? 16
                                          : elements > 10000 ? 10000
                                                             : (int64_t)elements};
}

/* Adds columns `from` to `to` of row i of an entry's op(A) op(B), in f64, and the sums of the
 * products' magnitudes. */
static void add_row(const measure_data *data, int64_t entry, int64_t i, int64_t from, int64_t to,
                    double *sum, double *magnitude)
{
    const measure_problem *p = &data->problem;
    const int64_t n = p->n, k = p->k;
    const int parts = measure_parts(p->dtype);
    const double *a = data->a_values + ((p->stride[0] ? entry * p->m * k : 0) + i * k) * parts;
    const double *b = data->b_values + (p->stride[1] ? entry * k * n : 0) * parts;
    for (int64_t l = 0; l < k; ++l)
        if (parts == 1)
            for (int64_t j = from; j < to; ++j) {
                const double term = a[l] * b[l * n + j];
                sum[j - from] += term;
                magnitude[j - from] += fabs(term);
            }
        else
            for (int64_t j = from; j < to; ++j) {
                const double *x = a + 2 * l, *y = b + 2 * (l * n + j);
                const double real = x[0] * y[0] - x[1] * y[1],
                             imaginary = x[0] * y[1] + x[1] * y[0];
                sum[2 * (j - from)] += real;
                sum[2 * (j - from) + 1] += imaginary;
                magnitude[j - from] += sqrt(real * real + imaginary * imaginary);
            }
}

/* The same of all that is added up in a C. */
static void sum_row(const measure_data *data, int64_t product, int64_t i, int64_t from, int64_t to,
                    double *sum, double *magnitude)
{
    const measure_problem *p = &data->problem;
    const bool stacked = p->operation == MEASURE_MATMUL_STACKED;
    const int64_t first = stacked ? product * p->terms : product,
                  last = stacked ? first + p->terms : first + 1;
    memset(sum, 0, (size_t)((to - from) * measure_parts(p->dtype)) * sizeof *sum);
    memset(magnitude, 0, (size_t)(to - from) * sizeof *magnitude);
    for (int64_t entry = first; entry < last && entry < p->batch; ++entry)
        add_row(data, entry, i, from, to, sum, magnitude);
}

/* to + by x, of one number or two. */
static void add_scaled(int parts, const double *by, const double *x, double *to)
{
    to[0] += by[0] * x[0];
    if (parts == 2) {
        to[0] -= by[1] * x[1];
        to[1] += by[0] * x[1] + by[1] * x[0];
    }
}

static double size_of(int parts, const double *x)
{
    return parts == 1 ? fabs(x[0]) : hypot(x[0], x[1]);
}

/* A number as a part of the type has it. */
static double rounded(subwave_dtype dtype, double number)
{
    double element[1];
    measure_encode(measure_part(dtype), 1, &number, element);
    measure_decode(measure_part(dtype), 1, element, &number);
    return number;
}

/* Close to zero the numbers of a type lie no closer; sums in C's own type may be off by more. */
static double gap_at_zero(subwave_dtype dtype)
{
    const uint64_t least = 1; /* its bits */
    double gap;
    if (!measure_is_floating(dtype))
        return 0;
    if (measure_sums(dtype) == dtype)
        return measure_part(dtype) == SUBWAVE_DTYPE_F64 ? 0x1p-1072 : 0x1p-133;
    measure_decode(dtype, 1, &least, &gap);
    return gap;
}

/* The error of an element at `at` of `c`; `old` is what C held there, or null. */
static double element_error(const measure_problem *p, const void *c, int64_t at, const double *sum,
                            double magnitude, const double *old)
{
    const int parts = measure_parts(p->dtype);
    const subwave_dtype product = measure_product(p->dtype);
    const size_t size = subwave_dtype_size(product);
    double right[2] = {0}, found[2], off[2] = {0};
    add_scaled(parts, p->alpha, sum, right);
    magnitude *= size_of(parts, p->alpha);
    if (old) {
        add_scaled(parts, p->beta, old, right);
        magnitude += size_of(parts, p->beta) * size_of(parts, old);
    }
    measure_decode(product, 1, (const char *)c + (size_t)at * size, found);
    if (!measure_is_floating(product)) /* it wraps */
        right[0] = rounded(product, right[0]);
    const double gap = gap_at_zero(p->dtype);
    for (int part = 0; part < parts; ++part) {
        const double most = right[part] + copysign(measure_bound(p) * magnitude, right[part]);
        if (found[part] == right[part] ||
            (isinf(found[part]) && found[part] == rounded(p->dtype, most)))
            continue; /* it may round to infinity */
        off[part] = fabs(found[part] - right[part]);
        off[part] = off[part] <= gap ? 0 : off[part];
    }
    const double error = size_of(parts, off);
    return error == 0 ? 0 : worse(0, error / magnitude);
}

double measure_product_error(measure_data *data, const void *c, bool without_gaps)
{
    enum { MOST_KEPT = 1 << 24 }; /* elements */
    const measure_problem *p = &data->problem;
    const int parts = measure_parts(p->dtype);
    const measure_coverage covered = measure_covers(p);
    const int64_t rows = p->m * measure_products(p);
    const int64_t compared = covered.rows * p->n + covered.elements;
    const bool is_known = data->expected, is_kept = compared <= MOST_KEPT;
    const size_t room = (size_t)(is_kept ? compared : p->n) * (size_t)(parts + 1);
    double *const expected = is_known ? data->expected : malloc(room * sizeof *expected + 1),
                  *sum = expected;
    double worst = sum ? 0 : NAN;
    uint64_t seed = 0x2545f4914f6cdd1d;
    for (int64_t drawn = 0; sum && p->n > 0 && drawn < covered.rows + covered.elements; ++drawn) {
        /* All rows; or the first, the last and any between; then elements. */
        int64_t row = drawn, from = 0, to = p->n;
        if (covered.rows < rows && drawn > 0)
            row = drawn == 1 ? rows - 1 : (int64_t)(measure_next(&seed) % (uint64_t)rows);
        if (drawn >= covered.rows) {
            from = (int64_t)(measure_next(&seed) % (uint64_t)p->n);
            to = from + 1;
        }
        const int64_t entry = row / p->m, i = row % p->m;
        double *const magnitude = sum + (to - from) * parts;
        if (!is_known)
            sum_row(data, entry, i, from, to, sum, magnitude);
        for (int64_t j = from; j < to; ++j) {
            const int64_t stored = measure_index(p, 2, entry, i, j);
            worst = worse(worst,
                          element_error(p, c, without_gaps ? row * p->n + j : stored,
                                        sum + (j - from) * parts, magnitude[j - from],
                                        data->c_values ? data->c_values + stored * parts : NULL));
        }
        if (is_kept)
            sum = magnitude + (to - from);
    }
    if (is_kept)
        data->expected = expected;
    else
        free(expected);
    return worst;
}

/* --- groups ---------------------------------------------------------------------------------- */

static int count_of(uint64_t members)
{
    int count = 0;
    for (; members; members &= members - 1)
        ++count;
    return count;
}

static int lowest_of(uint64_t members)
{
    int lane = 0;
    while (!(members >> lane & 1))
        ++lane;
    return lane;
}

/* The lane that holds what is `rank`th of the members; `own` where there are not so many. */
static int member_of(uint64_t members, uint64_t rank, int own)
{
    if (rank >= (uint64_t)count_of(members))
        return own;
    for (; rank > 0; --rank)
        members &= members - 1;
    return lowest_of(members);
}

/* A sub-group: its first work-item and that one's number in its work-group, and its lanes. */
typedef struct wave {
    int64_t first;
    int start, lanes;
} wave;

static bool chosen_alike(const measure_data *data, const wave *w, int a, int b)
{
    const measure_problem *p = &data->problem;
    if (p->group.kind == SUBWAVE_GROUP_BALLOT)
        return ((const uint8_t *)data->choices)[w->first + a] ==
               ((const uint8_t *)data->choices)[w->first + b];
    if (measure_has_keys(p))
        return data->choices[w->first + a] == data->choices[w->first + b];
    return p->group.kind != SUBWAVE_GROUP_FIXED_SIZE ||
           a / p->group.fixed_size == b / p->group.fixed_size;
}

/* By the definition of the kind; of opportunistic groups those that may be. */
static uint64_t members_of(const measure_data *data, const wave *w, int lane)
{
    uint64_t members = 0;
    for (int other = 0; other < w->lanes; ++other)
        members |= (uint64_t)chosen_alike(data, w, lane, other) << other;
    return members;
}

/* --- reduce and scan */

/* An element as a number of f64, or an integer's bits, zero-filled. */
typedef union value {
    double real;
    uint64_t bits;
} value;

enum { CHUNK = 1024 }; /* elements that are loaded together, which is several times as fast */

/* How many of the elements from `first` up to `end` are loaded together. */
static int64_t chunk_of(int64_t first, int64_t end)
{
    return end - first < CHUNK ? end - first : CHUNK;
}

/* Elements from number `first` on. */
static void load(subwave_dtype dtype, const void *elements, int64_t first, int64_t count, value *x)
{
    const size_t size = subwave_dtype_size(dtype);
    const void *const from = (const char *)elements + (size_t)first * size;
    if (measure_is_floating(dtype)) {
        measure_decode(dtype, count, from, &x->real);
        return;
    }
    for (int64_t i = 0; i < count; ++i)
        x[i].bits = size == 1   ? ((const uint8_t *)from)[i]
                    : size == 2 ? ((const uint16_t *)from)[i]
                    : size == 4 ? ((const uint32_t *)from)[i]
                                : ((const uint64_t *)from)[i];
}

/* How elements of a type are combined. Integers compare as unsigned ones do if they differ by the bit of
 * their sign. */
typedef struct arithmetic {
    bool floating;
    uint64_t all, sign; /* bits of an integer */
} arithmetic;

static arithmetic arithmetic_of(subwave_dtype dtype)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * subwave_dtype_size(dtype));
    return (arithmetic){measure_is_floating(dtype), all,
                        measure_is_signed(dtype) ? all / 2 + 1 : 0};
}

static double combine_reals(subwave_op op, double a, double b)
{
    switch (op) {
    case SUBWAVE_OP_PLUS:
        return a + b;
    case SUBWAVE_OP_MULTIPLIES:
        return a * b;
    case SUBWAVE_OP_MINIMUM:
        return a < b ? a : b;
    case SUBWAVE_OP_MAXIMUM:
        return a > b ? a : b;
    case SUBWAVE_OP_LOGICAL_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

/* They wrap: what is too long is cut off at the end. */
static uint64_t combine_bits(arithmetic by, subwave_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case SUBWAVE_OP_PLUS:
        return (a + b) & by.all;
    case SUBWAVE_OP_MULTIPLIES:
        return (a * b) & by.all;
    case SUBWAVE_OP_MINIMUM:
        return (a ^ by.sign) < (b ^ by.sign) ? a : b;
    case SUBWAVE_OP_MAXIMUM:
        return (a ^ by.sign) > (b ^ by.sign) ? a : b;
    case SUBWAVE_OP_BIT_AND:
        return a & b;
    case SUBWAVE_OP_BIT_OR:
        return a | b;
    case SUBWAVE_OP_BIT_XOR:
        return a ^ b;
    case SUBWAVE_OP_LOGICAL_AND:
        return a && b;
    default:
        return a || b;
    }
}

static value combine(arithmetic by, subwave_op op, value a, value b)
{
    return by.floating ? (value){.real = combine_reals(op, a.real, b.real)}
                       : (value){.bits = combine_bits(by, op, a.bits, b.bits)};
}

static value whole(arithmetic by, uint64_t number)
{
    return by.floating ? (value){.real = (double)number} : (value){.bits = number};
}

static value identity(arithmetic by, subwave_op op)
{
    const uint64_t least = by.sign, greatest = by.all ^ least;
    switch (op) {
    case SUBWAVE_OP_MINIMUM:
        return by.floating ? (value){.real = INFINITY} : (value){.bits = greatest};
    case SUBWAVE_OP_MAXIMUM:
        return by.floating ? (value){.real = -INFINITY} : (value){.bits = least};
    case SUBWAVE_OP_BIT_AND:
        return (value){.bits = by.all};
    default:
        return whole(by, op == SUBWAVE_OP_MULTIPLIES || op == SUBWAVE_OP_LOGICAL_AND);
    }
}

/* The error of what was found in place of a number, from magnitudes that were added up. */
static double value_error(arithmetic by, value found, value right, double magnitude)
{
    if (by.floating ? right.real == found.real : right.bits == found.bits)
        return 0;
    return by.floating ? worse(0, fabs(right.real - found.real) / magnitude) : INFINITY;
}

static double combined_error(const measure_data *data, const wave *w, int lane, uint64_t members,
                             const void *y)
{
    const measure_problem *p = &data->problem;
    const arithmetic by = arithmetic_of(p->dtype);
    const bool scans = p->operation == MEASURE_GROUP_SCAN,
               inclusive = p->scan == SUBWAVE_SCAN_INCLUSIVE;
    value right = whole(by, 1), x;
    double magnitude = p->has_init;
    bool any = p->has_init;
    for (uint64_t rest = members; rest; rest &= rest - 1) {
        const int other = lowest_of(rest);
        if (scans && (inclusive ? other > lane : other >= lane))
            break;
        load(p->dtype, data->x, w->first + other, 1, &x);
        right = any ? combine(by, p->op, right, x) : x;
        magnitude += by.floating ? fabs(x.real) : 0;
        any = true;
    }
    if (!any)
        right = identity(by, p->op);
    load(p->dtype, y, w->first + lane, 1, &x);
    return value_error(by, x, right, magnitude);
}

/* Of results from number `first` on, up to a chunk, which combine to `right`. */
static double results_error(const measure_problem *p, const void *y, int64_t first, int64_t count,
                            value *right, const double *magnitude)
{
    const arithmetic by = arithmetic_of(p->dtype);
    value found[CHUNK];
    double error = 0;
    if (by.floating) { /* which may be too large for the type, and is infinite then */
        measure_encode(p->dtype, count, &right->real, found);
        measure_decode(p->dtype, count, found, &right->real);
    }
    load(p->dtype, y, first, count, found);
    for (int64_t i = 0; i < count; ++i)
        error = worse(error, value_error(by, found[i], right[i], magnitude[i]));
    return error;
}

/* Of a dot product or a norm: relative to what the products' sizes add up to. */
static double product_sum_error(const measure_data *data, const void *result)
{
    const measure_problem *p = &data->problem;
    const bool is_norm = p->operation == MEASURE_NORM2;
    const unsigned char *const y =
        data->x + (is_norm ? 0 : (size_t)p->n * subwave_dtype_size(p->dtype));
    const int parts = measure_parts(p->dtype);
    const bool conjugates = is_norm || p->conjugation == SUBWAVE_CONJUGATION_FIRST;
    double sum[2] = {0}, size = 0, found[2] = {0}, error = 0;
    for (int64_t first = 0; first < p->n; first += CHUNK) {
        const int64_t count = chunk_of(first, p->n);
        const size_t at = (size_t)first * subwave_dtype_size(p->dtype);
        double of_a[2 * CHUNK], of_b[2 * CHUNK];
        measure_decode(p->dtype, count, data->x + at, of_a);
        measure_decode(p->dtype, count, y + at, of_b);
        for (int64_t i = 0; i < count; ++i) {
            const double *const b = of_b + i * parts, b1 = parts == 2 ? b[1] : 0;
            const double a0 = of_a[i * parts], part = parts == 2 ? of_a[i * parts + 1] : 0,
                         a1 = conjugates ? -part : part;
            sum[0] += a0 * b[0] - a1 * b1;
            sum[1] += a0 * b1 + a1 * b[0];
            size += (fabs(a0) + fabs(a1)) * (fabs(b[0]) + fabs(b1));
        }
    }
    if (is_norm)
        sum[0] = size = sqrt(sum[0]), sum[1] = 0;
    measure_decode(is_norm ? measure_part(p->dtype) : p->dtype, 1, result, found);
    for (int part = 0; part < 2; ++part)
        if (found[part] != sum[part])
            error = worse(error, fabs(found[part] - sum[part]) / size);
    return error;
}

/* Of result number `result`: the first of the least or greatest of the n elements of x from `first`
 * on, exactly. */
static double index_error(const measure_data *data, const unsigned char *y, int64_t result,
                          int64_t first)
{
    const measure_problem *p = &data->problem;
    const size_t size = subwave_dtype_size(p->dtype);
    const unsigned char *const x = data->x + (size_t)first * size,
                               *const values =
                                   y + (size_t)measure_array_results(p) * MEASURE_INDEX_BYTES;
    const arithmetic by = arithmetic_of(p->dtype);
    int64_t best = 0, index;
    value of_best = {0};
    for (int64_t i = 0; i < p->n; i += CHUNK) {
        const int64_t count = chunk_of(i, p->n);
        value of[CHUNK];
        load(p->dtype, x, i, count, of);
        if (i == 0)
            of_best = of[0];
        for (int64_t e = 0; e < count; ++e) {
            const value better = combine(by, p->op, of_best, of[e]);
            if (memcmp(&better, &of_best, sizeof better) != 0)
                of_best = better, best = i + e;
        }
    }
    memcpy(&index, y + (size_t)result * MEASURE_INDEX_BYTES, sizeof index);
    return index == best &&
                   memcmp(values + (size_t)result * size, x + (size_t)best * size, size) == 0
               ? 0
               : INFINITY;
}

static bool compares(const measure_problem *p, double x, double scalar)
{
    switch (p->comparison) {
    case SUBWAVE_COMPARISON_EQUAL:
        return x == scalar;
    case SUBWAVE_COMPARISON_NOT_EQUAL:
        return x != scalar;
    case SUBWAVE_COMPARISON_LESS:
        return x < scalar;
    case SUBWAVE_COMPARISON_LESS_EQUAL:
        return x <= scalar;
    case SUBWAVE_COMPARISON_GREATER:
        return x > scalar;
    default:
        return x >= scalar;
    }
}

/* A number that other bytes have another one of. */
static uint64_t hash(const unsigned char *element, size_t size)
{
    uint64_t bits = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; ++i)
        bits = (bits ^ element[i]) * 0x100000001b3;
    return measure_next(&bits);
}

/* What is selected, and the rest of a partition, exactly; or, as peers have it, the rest behind the
 * selected elements, the last one first. What is appended comes in any order: its hashes have the same
 * sum. The numbers are small ones. */
static double selection_error(const measure_data *data, const unsigned char *result)
{
    const measure_problem *p = &data->problem;
    const size_t size = subwave_dtype_size(p->dtype);
    const unsigned char *const selected = result + MEASURE_COUNT_BYTES, *const rest =
                                                                            result +
                                                                            measure_rest_at(p);
    const bool has_rest = p->operation == MEASURE_PARTITION || p->operation == MEASURE_PARTITION_IF;
    double scalar = 0, x[CHUNK];
    if (measure_has_comparison(p)) {
        uint64_t encoded;
        measure_scalar(p, &encoded);
        measure_decode(p->dtype, 1, &encoded, &scalar);
    }
    int64_t count = 0, found;
    uint64_t hashes = 0;
    bool apart = true, behind = true;
    for (int64_t i = 0; i < p->n; ++i) {
        const unsigned char *const element = data->x + (size_t)i * size;
        bool is_selected;
        if (measure_has_flags(p)) {
            is_selected = ((const uint8_t *)data->ids)[i] != 0;
        } else if (measure_has_comparison(p)) {
            if (i % CHUNK == 0)
                measure_decode(p->dtype, chunk_of(i, p->n), element, x);
            is_selected = compares(p, x[i % CHUNK], scalar);
        } else { /* -0 is none of the numbers */
            is_selected = i == 0 || memcmp(element, element - size, size) != 0;
        }
        if (is_selected && p->operation == MEASURE_APPEND)
            hashes += hash(element, size);
        else if (is_selected && memcmp(selected + (size_t)count * size, element, size) != 0)
            return INFINITY;
        if (!is_selected && has_rest) {
            const size_t at = (size_t)(i - count);
            apart &= memcmp(rest + at * size, element, size) == 0;
            behind &= memcmp(selected + ((size_t)p->n - 1 - at) * size, element, size) == 0;
        }
        count += is_selected;
    }
    memcpy(&found, result, sizeof found);
    for (int64_t i = 0; p->operation == MEASURE_APPEND && found == count && i < count; ++i)
        hashes -= hash(selected + (size_t)i * size, size);
    return found == count && hashes == 0 && (apart || behind) ? 0 : INFINITY;
}

/* Where a histogram's bins begin and the last one ends, as it is documented: no product is fused with a
 * sum. Null: no memory. */
static double *bin_edges(const measure_data *data)
{
    const measure_problem *p = &data->problem;
    double *const edges = malloc(((size_t)p->bins + 1) * sizeof *edges), lower, upper;
    measure_histogram_range(p, &lower, &upper);
    const double width = (upper - lower) / (double)p->bins;
    for (int64_t bin = 0; edges && bin <= p->bins; ++bin) {
        volatile double product = (double)bin * width;
        edges[bin] = p->bounded ? data->b_values[bin] : bin == p->bins ? upper : lower + product;
    }
    return edges;
}

/* The last bin that begins at x or before; -1 if x is in none. */
static int64_t bin_of(int64_t bins, const double *edges, double x)
{
    if (!(x >= edges[0] && x <= edges[bins]))
        return -1;
    /* About there, if they are as wide as one another. */
    int64_t bin = (int64_t)((x - edges[0]) / (edges[bins] - edges[0]) * (double)bins);
    bin = bin < bins ? bin : bins - 1;
    while (edges[bin] > x)
        --bin;
    while (bin + 1 < bins && edges[bin + 1] <= x)
        ++bin;
    return bin;
}

/* How many elements are in each bin: exactly; but a peer, which may compute in f32, may have an element
 * beside an edge in the bin on the edge's other side. */
static double histogram_error(const measure_data *data, const void *counts)
{
    const measure_problem *p = &data->problem;
    int64_t *const right = calloc((size_t)p->bins, sizeof *right);
    double *const edges = bin_edges(data), error = right && edges ? 0 : INFINITY;
    for (int64_t first = 0; error == 0 && first < p->n; first += CHUNK) {
        const int64_t count = chunk_of(first, p->n);
        double x[CHUNK];
        measure_decode(p->dtype, count, data->x + (size_t)first * subwave_dtype_size(p->dtype), x);
        for (int64_t i = 0; i < count; ++i) {
            const int64_t bin = bin_of(p->bins, edges, x[i]);
            if (bin >= 0)
                ++right[bin];
        }
    }
    int64_t across = 0; /* the edge, in excess of those that went the other way */
    for (int64_t bin = 0; right && edges && bin < p->bins; ++bin) {
        const int64_t next = bin + 1 < p->bins ? right[bin + 1] : 0;
        across += right[bin] -
                  (p->narrow ? ((const uint32_t *)counts)[bin] : ((const int64_t *)counts)[bin]);
        if (p->narrow ? across > right[bin] || -across > next : across != 0)
            error = INFINITY;
    }
    free(edges);
    free(right);
    return error;
}

/* Of the elements of x from `first` up to `end`, combined in ascending order: of result number
 * `result` or, of a scan, of the results from there on. */
static double part_error(const measure_data *data, const void *y, int64_t result, int64_t first,
                         int64_t end)
{
    const measure_problem *p = &data->problem;
    const bool scans = p->operation == MEASURE_SCAN || p->operation == MEASURE_ROW_SCAN ||
                       p->operation == MEASURE_SEGMENTED_SCAN,
               inclusive = p->scan == SUBWAVE_SCAN_INCLUSIVE;
    const arithmetic by = arithmetic_of(p->dtype);
    value right = p->has_init ? whole(by, 1) : identity(by, p->op);
    double magnitude = p->has_init, error = 0;
    for (int64_t i = first; i < end; i += CHUNK) {
        const int64_t count = chunk_of(i, end);
        value x[CHUNK], before[CHUNK + 1];
        double magnitude_before[CHUNK + 1];
        load(p->dtype, data->x, i, count, x);
        for (int64_t e = 0; e < count; ++e) {
            before[e] = right;
            magnitude_before[e] = magnitude;
            right = combine(by, p->op, right, x[e]);
            magnitude += by.floating ? fabs(x[e].real) : 0;
        }
        before[count] = right;
        magnitude_before[count] = magnitude;
        if (scans)
            error = worse(error, results_error(p, y, result + (i - first), count,
                                               before + inclusive, magnitude_before + inclusive));
    }
    return scans ? error : results_error(p, y, result, 1, &right, &magnitude);
}

static double segments_error(const measure_data *data, const void *y)
{
    const bool scans = data->problem.operation == MEASURE_SEGMENTED_SCAN;
    double error = 0;
    for (int64_t s = 0; s < data->problem.segments; ++s)
        error = worse(error, part_error(data, y, scans ? data->offsets[s] : s, data->offsets[s],
                                        data->offsets[s + 1]));
    return error;
}

/* Each cell's sum, beginning with 0, in ascending order. */
static double cells_error(const measure_data *data, const void *y)
{
    const measure_problem *p = &data->problem;
    const unsigned char *const values =
        data->x + (p->weighted ? (size_t)p->n * subwave_dtype_size(p->dtype) : 0);
    const arithmetic by = arithmetic_of(p->dtype);
    value *const right = malloc((size_t)p->bins * sizeof *right + 1);
    double *const magnitude = calloc((size_t)p->bins + 1, sizeof *magnitude);
    double *const edges = p->weighted ? bin_edges(data) : NULL;
    const bool has_memory = right && magnitude && (edges || !p->weighted);
    double error = has_memory ? 0 : INFINITY;
    for (int64_t c = 0; has_memory && c < p->bins; ++c)
        right[c] = whole(by, 0);
    for (int64_t first = 0; has_memory && first < p->n; first += CHUNK) {
        const int64_t count = chunk_of(first, p->n);
        value of[CHUNK];
        double x[CHUNK];
        load(p->dtype, values, first, count, of);
        if (p->weighted)
            measure_decode(p->dtype, count, data->x + (size_t)first * subwave_dtype_size(p->dtype),
                           x);
        for (int64_t i = 0; i < count; ++i) {
            const int64_t c = p->weighted ? bin_of(p->bins, edges, x[i]) : data->offsets[first + i];
            if (c < 0)
                continue;
            right[c] = combine(by, SUBWAVE_OP_PLUS, right[c], of[i]);
            magnitude[c] += by.floating ? fabs(of[i].real) : 0;
        }
    }
    for (int64_t c = 0; has_memory && c < p->bins; c += CHUNK)
        error =
            worse(error, results_error(p, y, c, chunk_of(c, p->bins), right + c, magnitude + c));
    free(edges);
    free(right);
    free(magnitude);
    return error;
}

static double rows_error(const measure_data *data, const void *y)
{
    const measure_problem *p = &data->problem;
    double error = 0;
    for (int64_t r = 0; r < p->m; ++r)
        error = worse(error,
                      measure_finds_index(p)
                          ? index_error(data, y, r, r * p->ld[0])
                          : part_error(data, y, p->operation == MEASURE_ROW_SCAN ? r * p->ld[2] : r,
                                       r * p->ld[0], r * p->ld[0] + p->n));
    return error;
}

/* Elements are combined in ascending order. */
static double array_error(const measure_data *data, const void *y)
{
    const measure_problem *p = &data->problem;
    if (measure_finds_index(p))
        return index_error(data, y, 0, 0);
    if (measure_is_selection(p))
        return selection_error(data, y);
    if (measure_sums_cells(p))
        return cells_error(data, y);
    if (p->operation == MEASURE_HISTOGRAM)
        return histogram_error(data, y);
    if (p->operation == MEASURE_DOT || p->operation == MEASURE_NORM2)
        return product_sum_error(data, y);
    if (measure_has_segments(p))
        return segments_error(data, y);
    return part_error(data, y, 0, 0, p->n);
}

/* Elements are as they were, at their new places. */
static double transpose_error(const measure_data *data, const unsigned char *y)
{
    const measure_problem *p = &data->problem;
    const size_t size = subwave_dtype_size(p->dtype);
    const int parts = measure_parts(p->dtype);
    const double *x = data->a_values;
    for (int64_t e = 0; e < p->batch; ++e) {
        if (p->stride[0] == 0)
            x = data->a_values; /* all are the same */
        for (int64_t i = 0; i < p->m; ++i)
            for (int64_t j = 0; j < p->n; ++j, x += parts) {
                double found[2];
                measure_decode(p->dtype, 1, y + (size_t)measure_index(p, 2, e, i, j) * size, found);
                if (memcmp(found, x, (size_t)parts * sizeof *x) != 0)
                    return INFINITY;
            }
    }
    return 0;
}

static bool vote_is_right(const measure_data *data, const wave *w, int lane, uint64_t members,
                          const uint8_t *y)
{
    bool any = false, all = true;
    for (uint64_t rest = members; rest; rest &= rest - 1) {
        const bool is_set = data->x[w->first + lowest_of(rest)];
        any |= is_set;
        all &= is_set;
    }
    const subwave_vote vote = data->problem.vote;
    return y[w->first + lane] == (vote == SUBWAVE_VOTE_ANY   ? any
                                  : vote == SUBWAVE_VOTE_ALL ? all
                                                             : !any);
}

static bool info_is_right(const measure_data *data, const wave *w, int lane, uint64_t members,
                          uint64_t rank, const subwave_group_item *y)
{
    const subwave_group *g = &data->problem.group;
    const subwave_group_item *item = &y[w->first + lane];
    const int items = g->block[0] * g->block[1] * g->block[2];
    return item->local_id == rank && item->local_range == (uint32_t)count_of(members) &&
           item->leader == (rank == 0) && item->lane == (uint32_t)lane &&
           item->sub_group_id == (uint32_t)(w->start / data->wave) &&
           item->sub_group_range == (uint32_t)((items + data->wave - 1) / data->wave);
}

static bool move_is_right(const measure_data *data, const wave *w, int lane, uint64_t members,
                          uint64_t rank, const unsigned char *y)
{
    const measure_problem *p = &data->problem;
    const size_t size = subwave_dtype_size(p->dtype);
    uint64_t wanted = p->amount; /* broadcast */
    if (p->operation == MEASURE_GROUP_SHIFT)
        wanted = p->direction == SUBWAVE_SHIFT_LEFT ? rank + wanted
                                                    : rank - wanted; /* wraps: there is none */
    else if (p->operation == MEASURE_GROUP_PERMUTE)
        wanted ^= rank;
    else if (p->operation == MEASURE_GROUP_SELECT)
        wanted = data->ids[w->first + lane];
    const int64_t from = w->first + member_of(members, wanted, lane);
    return memcmp(y + (size_t)(w->first + lane) * size, data->x + (size_t)from * size, size) == 0;
}

static double lane_error(const measure_data *data, const wave *w, int lane, const void *y,
                         const uint64_t *told)
{
    const measure_problem *p = &data->problem;
    uint64_t members = members_of(data, w, lane);
    if (told) {
        const uint64_t found = told[w->first + lane];
        const bool chosen = p->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
        if (chosen ? (found & ~members) || !(found >> lane & 1) : found != members)
            return INFINITY;
        members = found;
    }
    const uint64_t rank = (uint64_t)count_of(members & (((uint64_t)1 << lane) - 1));
    bool right;
    if (p->operation == MEASURE_GROUP_REDUCE || p->operation == MEASURE_GROUP_SCAN)
        return combined_error(data, w, lane, members, y);
    if (p->operation == MEASURE_GROUP_VOTE)
        right = vote_is_right(data, w, lane, members, y);
    else if (p->operation == MEASURE_GROUP_INFO)
        right = info_is_right(data, w, lane, members, rank, y);
    else
        right = move_is_right(data, w, lane, members, rank, y);
    return right ? 0 : INFINITY;
}

/* Of whole sub-groups, about 100,000 elements. */
static double group_error(const measure_data *data, const void *y, const uint64_t *told)
{
    const measure_problem *p = &data->problem;
    const int items = p->group.block[0] * p->group.block[1] * p->group.block[2];
    const int64_t waves = (items + data->wave - 1) / data->wave, all = p->n / items * waves;
    const int64_t step = 1 + all * data->wave / 100000;
    double worst = 0;
    for (int64_t i = 0; i < all; i += step) {
        const int start = (int)(i % waves) * data->wave, rest = items - start;
        const wave w = {.first = i / waves * items + start,
                        .start = start,
                        .lanes = rest < data->wave ? rest : data->wave};
        for (int lane = 0; lane < w.lanes; ++lane)
            worst = worse(worst, lane_error(data, &w, lane, y, told));
    }
    return worst;
}

/* The library says who the members of an opportunistic group are, of one call alone. */
static bool judge_group(const measure_data *data, void *y, double *error)
{
    const int set = data->sets - 1;
    const bool chosen = data->problem.group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
    const size_t bytes = (size_t)data->problem.n * sizeof(uint64_t);
    measure_array fresh = {0};
    const bool asked = chosen || data->problem.members;
    uint64_t *told = asked ? malloc(bytes + 1) : NULL;
    bool good = !asked || told;
    if (good && chosen)
        good = measure_allocate(&fresh, data->context, bytes, 1) == SUBWAVE_STATUS_SUCCESS &&
               measure_queue_group(data, set, measure_at(&fresh, 0)) == SUBWAVE_STATUS_SUCCESS;
    if (good && asked)
        good = measure_read(chosen ? &fresh : &data->b, chosen ? 0 : set, told) ==
               SUBWAVE_STATUS_SUCCESS;
    if (good && measure_read(&data->c, set, y) == SUBWAVE_STATUS_SUCCESS)
        *error = group_error(data, y, told);
    else
        good = false;
    measure_free(&fresh);
    free(told);
    return good;
}

bool measure_error(measure_data *data, bool (*call)(void *self, int set), void *self, double *error)
{
    const int set = data->sets - 1;
    unsigned char *c = malloc(data->c.bytes + 1);
    bool good = c;
    if (good && (data->c_values || data->problem.operation == MEASURE_SCATTER_ADD))
        /* the timed calls have added up */
        good = measure_reset(data) == SUBWAVE_STATUS_SUCCESS && call(self, set);
    if (good && measure_is_product(&data->problem)) {
        good = measure_read(&data->c, set, c) == SUBWAVE_STATUS_SUCCESS;
        *error = good ? measure_product_error(data, c, false) : NAN;
    } else if (good && (measure_is_array(&data->problem) || measure_is_rows(&data->problem) ||
                        measure_is_transpose(&data->problem))) {
        good = measure_read(&data->c, set, c) == SUBWAVE_STATUS_SUCCESS;
        *error = !good                              ? NAN
                 : measure_is_array(&data->problem) ? array_error(data, c)
                 : measure_is_rows(&data->problem)  ? rows_error(data, c)
                                                    : transpose_error(data, c);
    } else if (good) {
        good = judge_group(data, c, error);
    }
    free(c);
    return good;
}
