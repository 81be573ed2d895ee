/* SPDX-License-Identifier: MIT
 * reference.h: what the operations must give, in plain C; knows no device.
 */
#ifndef SUBWAVE_TESTS_REFERENCE_H
#define SUBWAVE_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix as stored: element (i, j) is at index reference_index(). */
typedef struct reference_matrix {
    void *data;
    bool f64, column_major;
    int64_t rows, columns, ld;
} reference_matrix;

int64_t reference_index(const reference_matrix *matrix, int64_t i, int64_t j);
double reference_get(const reference_matrix *matrix, int64_t i, int64_t j);
void reference_set(const reference_matrix *matrix, int64_t i, int64_t j, double value);

/* alpha op(A) op(B) + beta C, summed in double whatever the type. `result` and `bound` have m x n
 * elements, row after row. A right cell differs from `result` by no more than `bound`, which is
 * (k + 3) eps (|alpha| sum |a||b| + |beta c|), eps of the matrices' type. alpha = 0 and beta = 0 do
 * not read what they multiply. */
void reference_matmul(bool transpose_a, bool transpose_b, int64_t k, double alpha,
                      const reference_matrix *a, const reference_matrix *b, double beta,
                      const reference_matrix *c, double *result, double *bound);

/* One cell by the plain loop over k, in the matrices' own type and without fused operations. */
double reference_matmul_cell(bool transpose_a, bool transpose_b, int64_t k, double alpha,
                             const reference_matrix *a, const reference_matrix *b, double beta,
                             const reference_matrix *c, int64_t i, int64_t j);

#endif
