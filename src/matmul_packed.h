/* SPDX-License-Identifier: MIT
 * matmul_packed.h: products of i8 whose operands are packed in the workspace first.
 */
#ifndef SUBWAVE_MATMUL_PACKED_H
#define SUBWAVE_MATMUL_PACKED_H

#include "check.h"
#include "plan.h"

/* Which operands are packed in the workspace first, so that they lie along k in aligned lines. */
typedef struct subwave_packed_operands {
    bool a, b;
    int64_t ld;            /* of what is packed */
    int64_t rows, columns; /* of C that are computed at a time */
    int64_t first, end;    /* bytes of the workspace */
} subwave_packed_operands;

/* Whether operands of a product by this variant are to be packed first. The product then has C by rows. */
bool subwave_packs_first(const subwave_context *context, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_product *product,
                         subwave_packed_operands *operands);

/* Columns from j on of rows from i on, as they are multiplied, when their operands are packed. */
subwave_matmul_product subwave_packed_part(const subwave_context *context,
                                           const subwave_packed_operands *operands,
                                           const subwave_matmul_product *product, int64_t i,
                                           int64_t j);

/* Queues a product as it was planned. */
subwave_status subwave_launch_product(subwave_context *context, subwave_dtype dtype,
                                      subwave_matmul_launch *launch);

/* Queues transpositions or copies, and products, part after part. */
subwave_status subwave_multiply_packed(subwave_context *context, subwave_dtype dtype,
                                       const subwave_packed_operands *operands,
                                       const subwave_matmul_product *product);

#endif
