/* SPDX-License-Identifier: MIT
 * plain.c: the matrix product in plain C, all matrices row-major without gaps. A file of its own,
 * so that it is always compiled with optimisation and never merged into what it is compared with.
 */
#include "plain.h"

#include <math.h>
#include <string.h>

/* The numbers that stored elements stand for; C has no types of 16 bits. */
static double value_f32(float stored) { return stored; }
static double value_f64(double stored) { return stored; }

static double value_f16(uint16_t stored)
{
    const int exponent = stored >> 10 & 31, fraction = stored & 0x3ff;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent     ? ldexp(fraction + 0x400, exponent - 25)
                                       : ldexp(fraction, -24);
    return stored & 0x8000 ? -size : size;
}

static double value_bf16(uint16_t stored)
{
    const uint32_t bits = (uint32_t)stored << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The loops for one element type; C has no other way to write them once. */
#define DEFINE_MATMUL(name, type) \
    static void matmul_##name(int64_t m, int64_t n, int64_t k, const type *a, const type *b, \
                              type *c) \
    { \
        memset(c, 0, (size_t)(m * n) * sizeof *c); \
        for (int64_t i = 0; i < m; ++i) \
            for (int64_t l = 0; l < k; ++l) \
                for (int64_t j = 0; j < n; ++j) \
                    c[i * n + j] += a[i * k + l] * b[l * n + j]; \
    }

#define DEFINE_SUMS(name, type) \
    static void row_##name(int64_t n, int64_t k, const type *a, const type *b, double *sum, \
                           double *magnitude) \
    { \
        for (int64_t l = 0; l < k; ++l) \
            for (int64_t j = 0; j < n; ++j) { \
                const double term = value_##name(a[l]) * value_##name(b[l * n + j]); \
                sum[j] += term; \
                magnitude[j] += fabs(term); \
            } \
    } \
\
    static void cell_##name(int64_t n, int64_t k, const type *a, const type *b, double *sum, \
                            double *magnitude) \
    { \
        for (int64_t l = 0; l < k; ++l) { \
            const double term = value_##name(a[l]) * value_##name(b[l * n]); \
            *sum += term; \
            *magnitude += fabs(term); \
        } \
    }

DEFINE_MATMUL(f32, float)
DEFINE_MATMUL(f64, double)
DEFINE_SUMS(f16, uint16_t)
DEFINE_SUMS(bf16, uint16_t)
DEFINE_SUMS(f32, float)
DEFINE_SUMS(f64, double)

double plain_value(subwave_dtype dtype, const void *array, int64_t i)
{
    switch (dtype) {
    case SUBWAVE_DTYPE_F16:
        return value_f16(((const uint16_t *)array)[i]);
    case SUBWAVE_DTYPE_BF16:
        return value_bf16(((const uint16_t *)array)[i]);
    case SUBWAVE_DTYPE_F32:
        return ((const float *)array)[i];
    default:
        return ((const double *)array)[i];
    }
}

void plain_matmul(subwave_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                  const void *b, void *c)
{
    if (dtype == SUBWAVE_DTYPE_F32)
        matmul_f32(m, n, k, a, b, c);
    else
        matmul_f64(m, n, k, a, b, c);
}

void plain_row(subwave_dtype dtype, int64_t i, int64_t n, int64_t k, const void *a, const void *b,
               double *sum, double *magnitude)
{
    memset(sum, 0, (size_t)n * sizeof *sum);
    memset(magnitude, 0, (size_t)n * sizeof *magnitude);
    if (dtype == SUBWAVE_DTYPE_F16)
        row_f16(n, k, (const uint16_t *)a + i * k, b, sum, magnitude);
    else if (dtype == SUBWAVE_DTYPE_BF16)
        row_bf16(n, k, (const uint16_t *)a + i * k, b, sum, magnitude);
    else if (dtype == SUBWAVE_DTYPE_F32)
        row_f32(n, k, (const float *)a + i * k, b, sum, magnitude);
    else
        row_f64(n, k, (const double *)a + i * k, b, sum, magnitude);
}

void plain_cell(subwave_dtype dtype, int64_t i, int64_t j, int64_t n, int64_t k, const void *a,
                const void *b, double *sum, double *magnitude)
{
    *sum = *magnitude = 0;
    if (dtype == SUBWAVE_DTYPE_F16)
        cell_f16(n, k, (const uint16_t *)a + i * k, (const uint16_t *)b + j, sum, magnitude);
    else if (dtype == SUBWAVE_DTYPE_BF16)
        cell_bf16(n, k, (const uint16_t *)a + i * k, (const uint16_t *)b + j, sum, magnitude);
    else if (dtype == SUBWAVE_DTYPE_F32)
        cell_f32(n, k, (const float *)a + i * k, (const float *)b + j, sum, magnitude);
    else
        cell_f64(n, k, (const double *)a + i * k, (const double *)b + j, sum, magnitude);
}
