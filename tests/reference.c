/* SPDX-License-Identifier: MIT
 * reference.c: what the operations must give, in plain C; knows no device.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int64_t reference_index(const reference_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->column_major ? i + j * matrix->ld : i * matrix->ld + j;
}

double reference_get(const reference_matrix *matrix, int64_t i, int64_t j)
{
    const int64_t at = reference_index(matrix, i, j);
    return matrix->f64 ? ((const double *)matrix->data)[at] : ((const float *)matrix->data)[at];
}

void reference_set(const reference_matrix *matrix, int64_t i, int64_t j, double value)
{
    const int64_t at = reference_index(matrix, i, j);
    if (matrix->f64)
        ((double *)matrix->data)[at] = value;
    else
        ((float *)matrix->data)[at] = (float)value;
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
    const double eps = (double)(k + 3) * (c->f64 ? DBL_EPSILON : FLT_EPSILON);
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
        }
}

double reference_matmul_cell(bool transpose_a, bool transpose_b, int64_t k, double alpha,
                             const reference_matrix *a, const reference_matrix *b, double beta,
                             const reference_matrix *c, int64_t i, int64_t j)
{
    if (c->f64) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
            sum += get_op(transpose_a, a, i, l) * get_op(transpose_b, b, l, j);
        return beta == 0 ? alpha * sum : alpha * sum + beta * reference_get(c, i, j);
    }
    float sum = 0;
    for (int64_t l = 0; l < k; ++l)
        sum += (float)get_op(transpose_a, a, i, l) * (float)get_op(transpose_b, b, l, j);
    const float scaled = (float)alpha * sum;
    return beta == 0 ? scaled : scaled + (float)beta * (float)reference_get(c, i, j);
}
