/* SPDX-License-Identifier: MIT
 * plain.c: the matrix product in plain C, all matrices row-major without gaps: what a C program
 * would do without a library. A file of its own, so that it is always compiled with optimisation.
 */
#include "measure.h"

#include <string.h>

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

DEFINE_MATMUL(f32, float)
DEFINE_MATMUL(f64, double)

bool measure_plain_matmul(subwave_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                          const void *b, void *c)
{
    if (dtype == SUBWAVE_DTYPE_F32)
        matmul_f32(m, n, k, a, b, c);
    else if (dtype == SUBWAVE_DTYPE_F64)
        matmul_f64(m, n, k, a, b, c);
    return dtype == SUBWAVE_DTYPE_F32 || dtype == SUBWAVE_DTYPE_F64;
}
