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
    subwave_dtype sums, product, part;
    int fraction;
} traits;

/* A table, since it is asked for with each element. */
enum { SIGNED, UNSIGNED, FLOAT, COMPLEX };
static const traits all_traits[] = {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, parts, fraction) \
    [SUBWAVE_DTYPE_##name] = {8 * bytes, \
                              class == SIGNED, \
                              SUBWAVE_DTYPE_##sums, \
                              SUBWAVE_DTYPE_##product, \
                              SUBWAVE_DTYPE_##parts, \
                              fraction},
    SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
};

/* Of what is no type: no bits. */
static inline traits traits_of(subwave_dtype dtype)
{
    if ((size_t)dtype < COUNT(all_traits) && all_traits[dtype].width)
        return all_traits[dtype];
    return (traits){.sums = dtype, .product = dtype, .part = dtype};
}

int reference_width(subwave_dtype dtype) { return traits_of(dtype).width; }
int reference_fraction(subwave_dtype dtype) { return traits_of(dtype).fraction; }
subwave_dtype reference_sums(subwave_dtype dtype) { return traits_of(dtype).sums; }
subwave_dtype reference_product(subwave_dtype dtype) { return traits_of(dtype).product; }
subwave_dtype reference_part(subwave_dtype dtype) { return traits_of(dtype).part; }
bool reference_is_complex(subwave_dtype dtype) { return reference_part(dtype) != dtype; }
bool reference_is_floating(subwave_dtype dtype)
{
    return reference_fraction(dtype) > 0 && !reference_is_complex(dtype);
}

bool reference_is_integer(subwave_dtype dtype) { return reference_fraction(dtype) == 0; }

/* The exponent of the least normal number. */
static int least_exponent(subwave_dtype dtype)
{
    return 2 - (1 << (reference_width(dtype) - 2 - reference_fraction(dtype)));
}

/* 2^exponent, of a normal number: ldexp(1, exponent) in a tenth of its time. */
static double power(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double reference_rounding(subwave_dtype dtype, double size)
{
    if (reference_sums(dtype) == dtype || reference_is_integer(dtype))
        return 0;
    const double normal = ldexp(1, least_exponent(dtype));
    return ldexp(1, ilogb(fmax(size, normal)) - reference_fraction(dtype) - 1);
}

/* --- matrix products ------------------------------------------------------------------------- */

int64_t reference_index(const reference_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->column_major ? i + j * matrix->ld : i * matrix->ld + j;
}

/* The types that are C's are most of what is read and written. */
double reference_get(const reference_matrix *matrix, int64_t i, int64_t j)
{
    const int64_t index = reference_index(matrix, i, j);
    if (matrix->dtype == SUBWAVE_DTYPE_F64) {
        double number;
        memcpy(&number, (const char *)matrix->data + index * 8, sizeof number);
        return number;
    }
    if (matrix->dtype == SUBWAVE_DTYPE_F32) {
        float number;
        memcpy(&number, (const char *)matrix->data + index * 4, sizeof number);
        return number;
    }
    return reference_decode(matrix->dtype, reference_load(matrix->dtype, matrix->data, index));
}

void reference_set(const reference_matrix *matrix, int64_t i, int64_t j, double value)
{
    const int64_t index = reference_index(matrix, i, j);
    const float rounded = (float)value;
    if (matrix->dtype == SUBWAVE_DTYPE_F64)
        memcpy((char *)matrix->data + index * 8, &value, sizeof value);
    else if (matrix->dtype == SUBWAVE_DTYPE_F32)
        memcpy((char *)matrix->data + index * 4, &rounded, sizeof rounded);
    else
        reference_store(matrix->dtype, matrix->data, index, reference_encode(matrix->dtype, value));
}

int reference_parts(subwave_dtype dtype) { return reference_is_complex(dtype) ? 2 : 1; }

/* A complex matrix as a real one with lines that are twice as long, or its parts by themselves. */
double reference_get_part(const reference_matrix *matrix, int64_t i, int64_t j, int part)
{
    if (!reference_is_complex(matrix->dtype))
        return reference_get(matrix, i, j);
    const reference_matrix parts = {.data = matrix->data, .dtype = reference_part(matrix->dtype)};
    return reference_get(&parts, 0, 2 * reference_index(matrix, i, j) + part);
}

void reference_set_part(const reference_matrix *matrix, int64_t i, int64_t j, int part,
                        double value)
{
    if (!reference_is_complex(matrix->dtype)) {
        reference_set(matrix, i, j, value);
        return;
    }
    const reference_matrix parts = {.data = matrix->data, .dtype = reference_part(matrix->dtype)};
    reference_set(&parts, 0, 2 * reference_index(matrix, i, j) + part, value);
}

static double get_op(subwave_transpose_kind transpose, const reference_matrix *matrix, int64_t i,
                     int64_t j, int part)
{
    const bool is_transposed = transpose != SUBWAVE_TRANSPOSE_NONE;
    if (reference_parts(matrix->dtype) == 1)
        return is_transposed ? reference_get(matrix, j, i) : reference_get(matrix, i, j);
    const double number = is_transposed ? reference_get_part(matrix, j, i, part)
                                        : reference_get_part(matrix, i, j, part);
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE && part == 1 ? -number : number;
}

/* Part number `part` of x y: the sum of x[0] y[part] and of -+x[1] y[1 - part]. */
static double product_part(const double x[2], const double y[2], int part)
{
    return x[0] * y[part] + (part == 0 ? -x[1] : x[1]) * y[1 - part];
}

static double size_of(const double x[2]) { return fabs(x[0]) + fabs(x[1]); }

static bool is_zero(const double x[2]) { return x[0] == 0 && x[1] == 0; }

/* Adds the products of a row of A with all columns of B, which is laid out by rows. */
static void add_row(int parts, int64_t n, const double a[2], const double *row_b, double *sum,
                    double *magnitude)
{
    if (parts == 1) {
        for (int64_t j = 0; j < n; ++j) {
            sum[j] += a[0] * row_b[j];
            magnitude[j] += fabs(a[0] * row_b[j]);
        }
        return;
    }
    for (int64_t j = 0; j < 2 * n; j += 2) {
        const double size = size_of(a) * size_of(&row_b[j]);
        for (int part = 0; part < 2; ++part) {
            sum[j + part] += product_part(a, &row_b[j], part);
            magnitude[j + part] += size;
        }
    }
}

void reference_matmul(const reference_problem *p, double *result, double *bound)
{
    const reference_matrix *const a = p->a, *const b = p->b, *const c = p->c;
    const int64_t m = c->rows, n = c->columns, k = p->k;
    const int parts = reference_parts(c->dtype);
    const double eps =
        (double)(parts * (k + 3)) * ldexp(1, -reference_fraction(reference_sums(c->dtype)));
    const double alpha[2] = {p->alpha[0], parts == 2 ? p->alpha[1] : 0},
                 beta[2] = {p->beta[0], parts == 2 ? p->beta[1] : 0};
    const int64_t terms = is_zero(alpha) ? 0 : k;
    /* op(B) is used by every row of C, so it is laid out once. */
    double *laid_out = malloc((size_t)(terms * n * parts + 1) * sizeof *laid_out);
    if (!laid_out)
        abort();
    /* Eight columns at once: a line of the cache is used whole, whichever way B lies. */
    for (int64_t first = 0; first < n; first += 8)
        for (int64_t l = 0; l < terms; ++l)
            for (int64_t j = first; j < n && j < first + 8; ++j)
                for (int part = 0; part < parts; ++part)
                    laid_out[(l * n + j) * parts + part] = get_op(p->transpose_b, b, l, j, part);
    for (int64_t x = 0; x < m * n * parts; ++x)
        result[x] = bound[x] = 0;
    /* Row after row of C, which stays in the cache then. */
    for (int64_t i = 0; i < m; ++i)
        for (int64_t l = 0; l < terms; ++l) {
            double element[2] = {0};
            for (int part = 0; part < parts; ++part)
                element[part] = get_op(p->transpose_a, a, i, l, part);
            add_row(parts, n, element, laid_out + l * n * parts, result + i * n * parts,
                    bound + i * n * parts);
        }
    free(laid_out);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double *sum = &result[(i * n + j) * parts], *magnitude = &bound[(i * n + j) * parts];
            double was[2] = {0}, now[2] = {sum[0], parts == 2 ? sum[1] : 0};
            for (int part = 0; part < parts && !is_zero(beta); ++part)
                was[part] = reference_get_part(c, i, j, part);
            for (int part = 0; part < parts; ++part) {
                const double old = is_zero(beta) ? 0 : product_part(beta, was, part);
                const double size = parts == 1 ? fabs(old) : size_of(beta) * size_of(was);
                sum[part] = (terms == 0 ? 0 : product_part(alpha, now, part)) + old;
                magnitude[part] =
                    eps * ((terms == 0 ? 0 : size_of(alpha) * magnitude[part]) + size);
                magnitude[part] += reference_rounding(c->dtype, fabs(sum[part]) + magnitude[part]);
                if (reference_is_integer(c->dtype)) {
                    sum[part] = reference_decode(c->dtype, reference_encode(c->dtype, sum[part]));
                    magnitude[part] = 0;
                }
            }
        }
}

/* The plain loop in a type, for real and for complex numbers. x y is added to a number by adding
 * x[0] y[part] first and then -+x[1] y[1 - part]. */
#define DEFINE_CELL(type) \
    static type add_##type(type sum, const type x[2], const type y[2], int part) \
    { \
        sum += x[0] * y[part]; \
        return part == 0 ? sum - x[1] * y[1] : sum + x[1] * y[0]; \
    } \
    static type cell_##type(const reference_problem *p, int64_t i, int64_t j, int wanted) \
    { \
        const int parts = reference_parts(p->c->dtype); \
        type sum[2] = {0}, a[2] = {0}, b[2] = {0}, old[2] = {0}; \
        const type alpha[2] = {(type)p->alpha[0], (type)p->alpha[1]}, \
                   beta[2] = {(type)p->beta[0], (type)p->beta[1]}; \
        for (int64_t l = 0; l < p->k; ++l) { \
            for (int part = 0; part < parts; ++part) { \
                a[part] = (type)get_op(p->transpose_a, p->a, i, l, part); \
                b[part] = (type)get_op(p->transpose_b, p->b, l, j, part); \
            } \
            if (parts == 1) \
                sum[0] += a[0] * b[0]; \
            for (int part = 0; part < parts && parts == 2; ++part) \
                sum[part] = p->b_first ? add_##type(sum[part], b, a, part) \
                                       : add_##type(sum[part], a, b, part); \
        } \
        if (parts == 1) { \
            const type scaled = alpha[0] * sum[0]; \
            return beta[0] == 0 ? scaled : scaled + beta[0] * (type)reference_get(p->c, i, j); \
        } \
        type scaled = 0; \
        if (beta[0] != 0 || beta[1] != 0) { \
            for (int part = 0; part < 2; ++part) \
                old[part] = (type)reference_get_part(p->c, i, j, part); \
            scaled = add_##type(scaled, beta, old, wanted); \
        } \
        return add_##type(scaled, alpha, sum, wanted); \
    }
DEFINE_CELL(float)
DEFINE_CELL(double)

double reference_matmul_cell(const reference_problem *p, int64_t i, int64_t j, int part)
{
    const subwave_dtype dtype = reference_part(p->c->dtype);
    if (dtype == SUBWAVE_DTYPE_F64)
        return cell_double(p, i, j, part);
    return reference_decode(dtype, reference_encode(dtype, cell_float(p, i, j, part)));
}

/* --- elements as bits ------------------------------------------------------------------------ */

/* memcpy() of an element; where the compiler knows how many bytes, it is an instruction. */
static void copy_element(subwave_dtype dtype, void *to, const void *from)
{
    switch (reference_width(dtype)) {
    case 16:
        memcpy(to, from, 2);
        break;
    case 32:
        memcpy(to, from, 4);
        break;
    case 64:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, (size_t)reference_width(dtype) / 8);
    }
}

uint64_t reference_load(subwave_dtype dtype, const void *array, int64_t i)
{
    uint64_t bits = 0;
    if (reference_is_complex(dtype))
        abort();
    copy_element(dtype, &bits, (const char *)array + i * (reference_width(dtype) / 8));
    return bits;
}

void reference_store(subwave_dtype dtype, void *array, int64_t i, uint64_t bits)
{
    if (reference_is_complex(dtype))
        abort();
    copy_element(dtype, (char *)array + i * (reference_width(dtype) / 8), &bits);
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
    if (reference_is_integer(dtype)) {
        const uint64_t sign =
            traits_of(dtype).is_signed ? (uint64_t)1 << (reference_width(dtype) - 1) : 0;
        return (double)(int64_t)((bits ^ sign) - sign);
    }
    const int fraction = reference_fraction(dtype), least = least_exponent(dtype);
    const int top = 1 - 2 * (least - 1), field = (int)(bits >> fraction) & top;
    const double sign = bits >> (reference_width(dtype) - 1) & 1 ? -1 : 1;
    const double rest = (double)(bits & ((1u << fraction) - 1));
    if (field == top)
        return rest != 0 ? NAN : sign * INFINITY;
    return sign * (field ? (1 + rest * power(-fraction)) * power(field - 1 + least)
                         : rest * power(least - fraction));
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
    if (reference_is_integer(dtype))
        return (uint64_t)(int64_t)number & UINT64_MAX >> (64 - reference_width(dtype));
    const int fraction = reference_fraction(dtype), least = least_exponent(dtype);
    const uint64_t infinity = (uint64_t)(1 - 2 * (least - 1)) << fraction;
    const uint64_t sign = (uint64_t)(signbit(number) != 0) << (reference_width(dtype) - 1);
    if (isnan(number))
        return infinity | 1u << (fraction - 1);
    if (isinf(number) || fabs(number) >= power(2 - least))
        return sign | infinity;
    memcpy(&bits, &number, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023; /* of 0 and subnormals, one below least */
    if (exponent < least)
        exponent = least;
    /* Scaled in two steps, either of which is by a normal number. */
    const double steps = nearbyint(fabs(number) * power(-exponent) * power(fraction));
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
