/* SPDX-License-Identifier: MIT
 * reference.c: what the operations must give, in plain C; knows no device.
 */
#include "reference.h"

#include "types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- types ----------------------------------------------------------------------------------- */

typedef struct traits {
    int width;
    bool is_signed;
    subwave_dtype sums, part;
    int fraction;
} traits;

/* Of what is no type: no bits. */
static traits traits_of(subwave_dtype dtype)
{
    enum { SIGNED, UNSIGNED, FLOAT, COMPLEX };
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, parts, fraction) \
    case SUBWAVE_DTYPE_##name: \
        return (traits){8 * bytes, class == SIGNED, SUBWAVE_DTYPE_##sums, SUBWAVE_DTYPE_##parts, \
                        fraction};
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return (traits){.sums = dtype, .part = dtype};
}

int reference_width(subwave_dtype dtype) { return traits_of(dtype).width; }
int reference_fraction(subwave_dtype dtype) { return traits_of(dtype).fraction; }
subwave_dtype reference_sums(subwave_dtype dtype) { return traits_of(dtype).sums; }
subwave_dtype reference_part(subwave_dtype dtype) { return traits_of(dtype).part; }
bool reference_is_complex(subwave_dtype dtype) { return reference_part(dtype) != dtype; }
bool reference_is_floating(subwave_dtype dtype)
{
    return reference_fraction(dtype) > 0 && !reference_is_complex(dtype);
}

/* The exponent of the least normal number. */
static int least_exponent(subwave_dtype dtype)
{
    return 2 - (1 << (reference_width(dtype) - 2 - reference_fraction(dtype)));
}

double reference_rounding(subwave_dtype dtype, double size)
{
    if (reference_sums(dtype) == dtype)
        return 0;
    const double normal = ldexp(1, least_exponent(dtype));
    return ldexp(1, ilogb(fmax(size, normal)) - reference_fraction(dtype) - 1);
}

/* --- matrix products ------------------------------------------------------------------------- */

int64_t reference_index(const reference_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->column_major ? i + j * matrix->ld : i * matrix->ld + j;
}

double reference_get(const reference_matrix *matrix, int64_t i, int64_t j)
{
    return reference_decode(
        matrix->dtype, reference_load(matrix->dtype, matrix->data, reference_index(matrix, i, j)));
}

void reference_set(const reference_matrix *matrix, int64_t i, int64_t j, double value)
{
    reference_store(matrix->dtype, matrix->data, reference_index(matrix, i, j),
                    reference_encode(matrix->dtype, value));
}

static double get_op(bool transpose, const reference_matrix *matrix, int64_t i, int64_t j)
{
    return transpose ? reference_get(matrix, j, i) : reference_get(matrix, i, j);
}

void reference_matmul(bool transpose_a, bool transpose_b, int64_t k, double alpha,
                      const reference_matrix *a, const reference_matrix *b, double beta,
                      const reference_matrix *c, double *result, double *bound)
{
    const int64_t m = c->rows, n = c->columns;
    const double eps = (double)(k + 3) * ldexp(1, -reference_fraction(reference_sums(c->dtype)));
    /* A row of op(B) is used by every row of C, so it is laid out once. */
    double *row_b = malloc((size_t)n * sizeof *row_b);
    if (!row_b)
        abort();
    for (int64_t x = 0; x < m * n; ++x)
        result[x] = bound[x] = 0;
    for (int64_t l = 0; l < (alpha == 0 ? 0 : k); ++l) {
        for (int64_t j = 0; j < n; ++j)
            row_b[j] = get_op(transpose_b, b, l, j);
        for (int64_t i = 0; i < m; ++i) {
            const double element = get_op(transpose_a, a, i, l);
            double *sum = result + i * n, *magnitude = bound + i * n;
            for (int64_t j = 0; j < n; ++j) {
                sum[j] += element * row_b[j];
                magnitude[j] += fabs(element * row_b[j]);
            }
        }
    }
    free(row_b);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const double old = beta == 0 ? 0 : beta * reference_get(c, i, j);
            double *sum = &result[i * n + j], *magnitude = &bound[i * n + j];
            *sum = (alpha == 0 || k == 0 ? 0 : alpha * *sum) + old;
            *magnitude = eps * ((alpha == 0 ? 0 : fabs(alpha) * *magnitude) + fabs(old));
            *magnitude += reference_rounding(c->dtype, fabs(*sum) + *magnitude);
        }
}

double reference_matmul_cell(bool transpose_a, bool transpose_b, int64_t k, double alpha,
                             const reference_matrix *a, const reference_matrix *b, double beta,
                             const reference_matrix *c, int64_t i, int64_t j)
{
    if (c->dtype == SUBWAVE_DTYPE_F64) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
            sum += get_op(transpose_a, a, i, l) * get_op(transpose_b, b, l, j);
        return beta == 0 ? alpha * sum : alpha * sum + beta * reference_get(c, i, j);
    }
    float sum = 0;
    for (int64_t l = 0; l < k; ++l)
        sum += (float)get_op(transpose_a, a, i, l) * (float)get_op(transpose_b, b, l, j);
    const float scaled = (float)alpha * sum;
    const float cell = beta == 0 ? scaled : scaled + (float)beta * (float)reference_get(c, i, j);
    return reference_decode(c->dtype, reference_encode(c->dtype, cell));
}

/* --- elements as bits ------------------------------------------------------------------------ */

uint64_t reference_load(subwave_dtype dtype, const void *array, int64_t i)
{
    uint64_t bits = 0;
    if (reference_is_complex(dtype))
        abort();
    memcpy(&bits, (const char *)array + i * (reference_width(dtype) / 8),
           (size_t)reference_width(dtype) / 8);
    return bits;
}

void reference_store(subwave_dtype dtype, void *array, int64_t i, uint64_t bits)
{
    if (reference_is_complex(dtype))
        abort();
    memcpy((char *)array + i * (reference_width(dtype) / 8), &bits,
           (size_t)reference_width(dtype) / 8);
}

/* A float is sign, exponent field, fraction f below 1. Field e > 0 stands for (1 + f) 2^(e - bias),
 * field 0 for f 2^(1 - bias), the largest for infinity and NaN. C has types for those of 32 and 64
 * bits. */
double reference_decode(subwave_dtype dtype, uint64_t bits)
{
    if (dtype == SUBWAVE_DTYPE_F64) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    if (dtype == SUBWAVE_DTYPE_F32) {
        const uint32_t low = (uint32_t)bits;
        float number;
        memcpy(&number, &low, sizeof number);
        return number;
    }
    const int fraction = reference_fraction(dtype), least = least_exponent(dtype);
    const int top = 1 - 2 * (least - 1), field = (int)(bits >> fraction) & top;
    const double sign = bits >> (reference_width(dtype) - 1) & 1 ? -1 : 1;
    const double rest = (double)(bits & ((1u << fraction) - 1));
    if (field == top)
        return rest != 0 ? NAN : sign * INFINITY;
    return sign * (field ? ldexp(1 + ldexp(rest, -fraction), field - 1 + least)
                         : ldexp(rest, least - fraction));
}

/* Codes count the numbers from zero up, 2^fraction of them an exponent, and infinity comes next: so
 * a fraction that rounds up to the next exponent is right by itself. */
uint64_t reference_encode(subwave_dtype dtype, double number)
{
    uint64_t bits = 0;
    if (dtype == SUBWAVE_DTYPE_F64) {
        memcpy(&bits, &number, sizeof number);
        return bits;
    }
    if (dtype == SUBWAVE_DTYPE_F32) {
        const float rounded = (float)number;
        memcpy(&bits, &rounded, sizeof rounded);
        return bits;
    }
    const int fraction = reference_fraction(dtype), least = least_exponent(dtype);
    const uint64_t infinity = (uint64_t)(1 - 2 * (least - 1)) << fraction;
    const uint64_t sign = (uint64_t)(signbit(number) != 0) << (reference_width(dtype) - 1);
    if (isnan(number))
        return infinity | 1u << (fraction - 1);
    if (isinf(number) || fabs(number) >= ldexp(1, 2 - least))
        return sign | infinity;
    int exponent = number == 0 ? least : ilogb(number);
    if (exponent < least)
        exponent = least;
    const double steps = nearbyint(ldexp(fabs(number), fraction - exponent));
    return sign | ((uint64_t)steps + ((uint64_t)(exponent - least) << fraction));
}

bool reference_same(subwave_dtype dtype, uint64_t a, uint64_t b)
{
    return a == b || (reference_is_floating(dtype) && isnan(reference_decode(dtype, a)) &&
                      isnan(reference_decode(dtype, b)));
}

/* --- operations and groups ------------------------------------------------------------------- */

bool reference_has_op(subwave_dtype dtype, subwave_op op)
{
    switch (op) {
#define SUBWAVE_X(name, value, spelling, floating) \
    case SUBWAVE_OP_##name: \
        return IS_ONE_OF(number_dtypes, dtype) && (floating || !reference_is_floating(dtype));
        SUBWAVE_OP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    abort();
}

/* A number wins over NaN, and -0 is less than +0. */
static double pick(subwave_op op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    const bool a_is_less = a < b || (a == b && signbit(a));
    return a_is_less == (op == SUBWAVE_OP_MINIMUM) ? a : b;
}

static uint64_t combine_floats(subwave_dtype dtype, subwave_op op, uint64_t left, uint64_t right)
{
    const double a = reference_decode(dtype, left), b = reference_decode(dtype, right);
    const bool in_double = dtype == SUBWAVE_DTYPE_F64;
    switch (op) {
    case SUBWAVE_OP_PLUS:
        return reference_encode(dtype, in_double ? a + b : (float)a + (float)b);
    case SUBWAVE_OP_MULTIPLIES:
        return reference_encode(dtype, in_double ? a * b : (float)a * (float)b);
    case SUBWAVE_OP_MINIMUM:
    case SUBWAVE_OP_MAXIMUM:
        return reference_encode(dtype, pick(op, a, b));
    case SUBWAVE_OP_LOGICAL_AND:
        return reference_encode(dtype, a != 0 && b != 0);
    case SUBWAVE_OP_LOGICAL_OR:
        return reference_encode(dtype, a != 0 || b != 0);
    case SUBWAVE_OP_BIT_AND:
    case SUBWAVE_OP_BIT_OR:
    case SUBWAVE_OP_BIT_XOR:
        break;
    }
    abort();
}

/* All results modulo 2^64 are right modulo 2^width; only comparisons need the sign. */
static uint64_t combine_integers(subwave_dtype dtype, subwave_op op, uint64_t a, uint64_t b)
{
    /* As unsigned numbers that compare alike. */
    const uint64_t sign =
        traits_of(dtype).is_signed ? (uint64_t)1 << (reference_width(dtype) - 1) : 0;
    const bool a_is_less = (a ^ sign) < (b ^ sign);
    switch (op) {
    case SUBWAVE_OP_PLUS:
        return a + b;
    case SUBWAVE_OP_MULTIPLIES:
        return a * b;
    case SUBWAVE_OP_MINIMUM:
        return a_is_less ? a : b;
    case SUBWAVE_OP_MAXIMUM:
        return a_is_less ? b : a;
    case SUBWAVE_OP_BIT_AND:
        return a & b;
    case SUBWAVE_OP_BIT_OR:
        return a | b;
    case SUBWAVE_OP_BIT_XOR:
        return a ^ b;
    case SUBWAVE_OP_LOGICAL_AND:
        return a && b;
    case SUBWAVE_OP_LOGICAL_OR:
        return a || b;
    }
    abort();
}

uint64_t reference_combine(subwave_dtype dtype, subwave_op op, uint64_t a, uint64_t b)
{
    if (!reference_has_op(dtype, op))
        abort();
    if (reference_is_floating(dtype))
        return combine_floats(dtype, op, a, b);
    return combine_integers(dtype, op, a, b) & (UINT64_MAX >> (64 - reference_width(dtype)));
}

uint64_t reference_identity(subwave_dtype dtype, subwave_op op)
{
    const bool floating = reference_is_floating(dtype);
    const uint64_t all = UINT64_MAX >> (64 - reference_width(dtype));
    const uint64_t greatest = traits_of(dtype).is_signed ? all >> 1 : all;
    switch (op) {
    case SUBWAVE_OP_PLUS:
    case SUBWAVE_OP_BIT_OR:
    case SUBWAVE_OP_BIT_XOR:
    case SUBWAVE_OP_LOGICAL_OR:
        return 0;
    case SUBWAVE_OP_MULTIPLIES:
    case SUBWAVE_OP_LOGICAL_AND:
        return floating ? reference_encode(dtype, 1) : 1;
    case SUBWAVE_OP_BIT_AND:
        return all;
    case SUBWAVE_OP_MINIMUM:
        return floating ? reference_encode(dtype, INFINITY) : greatest;
    case SUBWAVE_OP_MAXIMUM:
        return floating ? reference_encode(dtype, -INFINITY) : all - greatest;
    }
    abort();
}

static uint64_t positions(int from, int size) { return UINT64_MAX >> (64 - size) << from; }

static uint64_t reduce_positions(subwave_dtype dtype, subwave_op op, uint64_t lanes,
                                 const uint64_t *x, int from, int size)
{
    if (size == 1)
        return x[from];
    const int half = size / 2;
    const bool lower = lanes & positions(from, half), upper = lanes & positions(from + half, half);
    if (lower && upper)
        return reference_combine(dtype, op, reduce_positions(dtype, op, lanes, x, from, half),
                                 reduce_positions(dtype, op, lanes, x, from + half, half));
    return reduce_positions(dtype, op, lanes, x, lower ? from : from + half, half);
}

uint64_t reference_reduce(subwave_dtype dtype, subwave_op op, uint64_t lanes, const uint64_t *x)
{
    return reduce_positions(dtype, op, lanes, x, 0, 64);
}

static void scan_positions(subwave_dtype dtype, subwave_op op, uint64_t lanes, uint64_t *x,
                           int from, int size)
{
    if (size == 1 || !(lanes & positions(from, size)))
        return;
    const int half = size / 2;
    scan_positions(dtype, op, lanes, x, from, half);
    scan_positions(dtype, op, lanes, x, from + half, half);
    int last = from + half - 1;
    while (last >= from && !(lanes >> last & 1))
        --last;
    if (last < from)
        return;
    for (int lane = from + half; lane < from + size; ++lane)
        if (lanes >> lane & 1)
            x[lane] = reference_combine(dtype, op, x[last], x[lane]);
}

void reference_scan(subwave_dtype dtype, subwave_op op, uint64_t lanes, uint64_t *x)
{
    scan_positions(dtype, op, lanes, x, 0, 64);
}
