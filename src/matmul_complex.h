/* SPDX-License-Identifier: MIT
 * matmul_complex.h: products of complex numbers by matrix units.
 */
#ifndef SUBWAVE_MATMUL_COMPLEX_H
#define SUBWAVE_MATMUL_COMPLEX_H

#include "check.h"
#include "plan.h"
#include "workspace.h"

/* How a product is computed by real ones: of how much of it at a time, and what the workspace then
 * holds. */
typedef struct subwave_real_product {
    bool b;                       /* B is transposed in the workspace */
    int64_t rows, columns, steps; /* of C and of k, at a time */
    int64_t lda, ldb;             /* of A's real form, in real numbers; of the transposed B */
    int64_t first, behind_a, end; /* bytes of the workspace: A's form begins, B, and what is free */
} subwave_real_product;

/* Of a product with C by columns, and of its workspace. */
static inline bool has_real_alpha(const subwave_matmul_product *product)
{
    return product->alpha[1] == 0;
}

static inline bool a_lies_along_k(const subwave_matmul_product *product)
{
    return product->a_row != 1;
}

static inline void *place_of_real_a(const subwave_context *context,
                                    const subwave_real_product *real)
{
    return (char *)context->workspace + real->first;
}
static inline void *place_of_transposed_b(const subwave_context *context,
                                          const subwave_real_product *real)
{
    return (char *)context->workspace + real->behind_a;
}

static inline const char *element_of_matrix(const void *matrix, int64_t size, int64_t i,
                                            int64_t by_row, int64_t j, int64_t by_column)
{
    return matrix ? (const char *)matrix + size * (i * by_row + j * by_column) : NULL;
}

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
