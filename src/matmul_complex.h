/* SPDX-License-Identifier: MIT
 * matmul_complex.h: products of complex numbers by matrix units.
 */
#ifndef SUBWAVE_MATMUL_COMPLEX_H
#define SUBWAVE_MATMUL_COMPLEX_H

#include "check.h"
#include "plan.h"

/* How a product is computed by real ones: of how much of it at a time, and what the workspace then
 * holds. */
typedef struct subwave_real_product {
    bool b;                       /* B is transposed in the workspace */
    int64_t rows, columns, steps; /* of C and of k, at a time */
    int64_t lda, ldb;             /* of A's real form, in real numbers; of the transposed B */
    int64_t first, behind_a, end; /* bytes of the workspace: A's form begins, B, and what is free */
} subwave_real_product;

/* Whether the device's matrix unit computes products of this complex type. */
bool subwave_has_real_product(const subwave_capabilities *device, subwave_dtype dtype);

/* Whether a product by this variant is computed so. The product then has C by columns. MATRIX is
 * even if the workspace is too small for it, AUTO only where that is faster. */
bool subwave_takes_real_product(const subwave_context *context, subwave_dtype dtype,
                                subwave_variant variant, subwave_matmul_product *product,
                                subwave_real_product *real);

/* The real product of rows from i on, columns from j on and steps of k from l on. */
subwave_matmul_product subwave_real_part(const subwave_context *context, subwave_dtype dtype,
                                         const subwave_real_product *real,
                                         const subwave_matmul_product *product, int64_t i,
                                         int64_t j, int64_t l);

/* Queues all of it. */
subwave_status subwave_multiply_real(subwave_context *context, subwave_dtype dtype,
                                     const subwave_real_product *real,
                                     const subwave_matmul_product *product);

#endif
