/* SPDX-License-Identifier: MIT
 * plan_matmul.c: which variant computes a product.
 */
#include "plan.h"

#include "backend.h"

int64_t subwave_count_tiles(const subwave_matmul_product *product, int64_t rows, int64_t columns)
{
    const int64_t down = ceil_divide(product->m, rows), across = ceil_divide(product->n, columns);
    return down > INT32_MAX / across ? INT32_MAX : down * across;
}

void subwave_set_tile(const subwave_matmul_product *product, int64_t rows, int64_t columns,
                      subwave_matmul_kernel *kernel)
{
    kernel->tile_rows = (int32_t)rows;
    kernel->tile_columns = (int32_t)columns;
    kernel->blocks = (uint32_t)subwave_count_tiles(product, rows, columns);
}

bool subwave_reads_together(const void *matrix, int64_t row, int64_t column, int64_t elements,
                            subwave_dtype dtype)
{
    const int64_t bytes = elements * (int64_t)subwave_dtype_size(dtype);
    return column == 1 && row % elements == 0 && (uintptr_t)matrix % (uintptr_t)bytes == 0;
}

void subwave_transpose_product(subwave_matmul_product *product)
{
    const subwave_matmul_product was = *product;
    product->transposed = !was.transposed;
    product->m = was.n;
    product->n = was.m;
    product->a = was.b;
    product->b = was.a;
    product->a_row = was.b_column;
    product->a_column = was.b_row;
    product->b_row = was.a_column;
    product->b_column = was.a_row;
    product->c_row = was.c_column;
    product->c_column = was.c_row;
}

subwave_operation subwave_operation_of(subwave_variant variant)
{
    return variant == SUBWAVE_VARIANT_SKINNY ? SUBWAVE_OPERATION_matmul_skinny
                                             : SUBWAVE_OPERATION_matmul;
}

bool subwave_variant_takes(const subwave_capabilities *device, subwave_variant variant,
                           subwave_dtype dtype)
{
    return subwave_is_built(subwave_operation_of(variant), dtype) &&
           (variant != SUBWAVE_VARIANT_MATRIX || subwave_has_matrix_unit(device, dtype));
}

/* The CPU device computes the elements beyond C too, so that BROADCAST's wide tiles are for wide
 * matrices. Times are nanoseconds of an x86 core: of a product and sum in either kernel, and to
 * start a work-item. */
static subwave_variant choose_in_turns(const subwave_capabilities *device, subwave_dtype dtype,
                                       const subwave_matmul_product *product)
{
    const int64_t m = product->m, n = product->n, least = lesser_of(m, n);
    /* SKINNY where the large matrix is read along k, and each work-item of a sub-group has some
     * steps of it. */
    const bool along_k = (m <= n ? product->b_row : product->a_column) == 1;
    if (subwave_variant_takes(device, SUBWAVE_VARIANT_SKINNY, dtype) && along_k &&
        (least <= 2 || (least <= 16 && product->k >= 4 * device->wave_size)))
        return SUBWAVE_VARIANT_SKINNY;
    const bool f64 = dtype == SUBWAVE_DTYPE_F64;
    const double in_broadcast = f64 ? 0.5 : 0.3, to_start_broadcast = 100;
    const double in_naive = f64 ? 1.4 : 1.1, to_start_naive = 13;
    subwave_matmul_kernel tiled;
    subwave_plan_broadcast(device, dtype, product, &tiled);
    const double elements =
        (double)round_up(m, tiled.tile_rows) * (double)round_up(n, tiled.tile_columns);
    const double broadcast =
        elements / (tiled.item_rows * tiled.item_columns) * to_start_broadcast +
        elements * (double)product->k * in_broadcast;
    const double naive = (double)round_up(m, 16) * (double)round_up(n, 16) * to_start_naive +
                         (double)m * (double)n * (double)product->k * in_naive;
    return naive < broadcast ? SUBWAVE_VARIANT_NAIVE : SUBWAVE_VARIANT_BROADCAST;
}

/* MATRIX has the larger blocks: where they would leave most of a GPU idle, BROADCAST may be
 * ahead. */
static subwave_variant choose(const subwave_capabilities *device, subwave_dtype dtype,
                              const subwave_matmul_product *product)
{
    if (device->waves_take_turns)
        return choose_in_turns(device, dtype, product);
    if (subwave_variant_takes(device, SUBWAVE_VARIANT_SKINNY, dtype) &&
        lesser_of(product->m, product->n) <= 16)
        return SUBWAVE_VARIANT_SKINNY;
    if (!subwave_has_matrix_unit(device, dtype))
        return SUBWAVE_VARIANT_BROADCAST;
    subwave_matmul_product copy = *product;
    const subwave_matmul_kernel matrix =
        subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_MATRIX, &copy);
    return 4 * (int64_t)matrix.blocks <
                   device->shapes->auto_quarters * (int64_t)device->compute_units
               ? SUBWAVE_VARIANT_BROADCAST
               : SUBWAVE_VARIANT_MATRIX;
}

subwave_matmul_kernel subwave_plan_matmul(const subwave_capabilities *device, subwave_dtype dtype,
                                          subwave_variant variant, subwave_matmul_product *product)
{
    const uint32_t wave = (uint32_t)device->wave_size;
    subwave_matmul_kernel kernel = {
        .variant = variant == SUBWAVE_VARIANT_AUTO ? choose(device, dtype, product) : variant,
        .item_rows = 1,
        .item_columns = 1,
        .block_y = 1,
        .parts = 1,
    };
    switch (kernel.variant) {
    case SUBWAVE_VARIANT_NAIVE:
        kernel.block_x = kernel.block_y = 16;
        subwave_set_tile(product, 16, 16, &kernel);
        break;
    case SUBWAVE_VARIANT_LOCAL:
        kernel.block_x = 64;
        subwave_set_tile(product, 1, 64, &kernel);
        kernel.shared_bytes = (uint32_t)(64 * subwave_dtype_size(dtype));
        break;
    case SUBWAVE_VARIANT_TUTORIAL:
        kernel.block_x = device->waves_take_turns ? wave : 256;
        subwave_set_tile(product, kernel.block_x / wave, wave, &kernel);
        break;
    case SUBWAVE_VARIANT_MATRIX:
        if (subwave_dtype_size(dtype) == 2)
            subwave_plan_matrix16(device, product, &kernel);
        else
            subwave_plan_matrix(device, dtype, product, &kernel);
        break;
    case SUBWAVE_VARIANT_SKINNY:
        subwave_plan_skinny(device, dtype, product, &kernel);
        break;
    default:
        subwave_plan_broadcast(device, dtype, product, &kernel);
        break;
    }
    return kernel;
}
