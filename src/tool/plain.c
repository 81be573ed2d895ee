/* SPDX-License-Identifier: MIT
 * plain.c: the matrix product in plain C, all matrices row-major without gaps. A file of its own,
 * so that it is always compiled with optimisation and never merged into what it is compared with.
 */
#include "plain.h"

#include <math.h>
#include <string.h>

/* The loops for one element type; C has no other way to write them once. */
#define DEFINE_PLAIN(name, type) \
    static void matmul_##name(int64_t m, int64_t n, int64_t k, const type *a, const type *b, \
                              type *c) \
    { \
        memset(c, 0, (size_t)(m * n) * sizeof *c); \
        for (int64_t i = 0; i < m; ++i) \
            for (int64_t l = 0; l < k; ++l) \
                for (int64_t j = 0; j < n; ++j) \
                    c[i * n + j] += a[i * k + l] * b[l * n + j]; \
    } \
\
    static void row_##name(int64_t n, int64_t k, const type *a, const type *b, double *sum, \
                           double *magnitude) \
    { \
        for (int64_t l = 0; l < k; ++l) \
            for (int64_t j = 0; j < n; ++j) { \
                const double term = (double)a[l] * (double)b[l * n + j]; \
                sum[j] += term; \
                magnitude[j] += fabs(term); \
            } \
    } \
\
    static void cell_##name(int64_t n, int64_t k, const type *a, const type *b, double *sum, \
                            double *magnitude) \
    { \
        for (int64_t l = 0; l < k; ++l) { \
            const double term = (double)a[l] * (double)b[l * n]; \
            *sum += term; \
            *magnitude += fabs(term); \
        } \
    }

DEFINE_PLAIN(f32, float)
DEFINE_PLAIN(f64, double)

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
    if (dtype == SUBWAVE_DTYPE_F32)
        row_f32(n, k, (const float *)a + i * k, b, sum, magnitude);
    else
        row_f64(n, k, (const double *)a + i * k, b, sum, magnitude);
}

void plain_cell(subwave_dtype dtype, int64_t i, int64_t j, int64_t n, int64_t k, const void *a,
                const void *b, double *sum, double *magnitude)
{
    *sum = *magnitude = 0;
    if (dtype == SUBWAVE_DTYPE_F32)
        cell_f32(n, k, (const float *)a + i * k, (const float *)b + j, sum, magnitude);
    else
        cell_f64(n, k, (const double *)a + i * k, (const double *)b + j, sum, magnitude);
}
