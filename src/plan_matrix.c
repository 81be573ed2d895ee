/* SPDX-License-Identifier: MIT
 * plan_matrix.c: the blocks of MATRIX.
 */
#include "plan.h"

#include <subwave/subwave.h>

/* Blocks of a shape, and the shared memory for their stages of A and B. Returns the time that they
 * take to compute, to compare: a compute unit's rounds of them. */
static double set_block(const subwave_capabilities *device, const subwave_unit_shape *unit,
                        const subwave_block_shape *block, subwave_dtype dtype,
                        const subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    const int32_t columns = unit->per_lane ? unit->columns * device->wave_size : unit->columns;
    const int32_t size = (int32_t)subwave_dtype_size(dtype), share = block->share[size < 8];
    kernel->item_rows = block->tall * unit->item_rows;
    kernel->item_columns = block->wide * unit->item_columns;
    kernel->block_x = (uint32_t)(block->down * block->across * device->wave_size);
    subwave_set_tile(product, block->down * block->tall * unit->rows,
                     block->across * block->wide * columns, kernel);
    kernel->shared_bytes = (uint32_t)(block->stages * block->stage *
                                      (kernel->tile_rows + kernel->tile_columns) * size);
    kernel->share = device->shapes->shares_are_predicted ? share : 0;
    return (double)ceil_divide(kernel->blocks, device->compute_units) * kernel->tile_rows *
           kernel->tile_columns / share;
}

/* Of two shapes, of which `large` is the number of one, that which takes less time. Small blocks
 * read A and B more often, which a tenth of time must outweigh. */
static void choose_block(const subwave_capabilities *device, const subwave_unit_shape *unit,
                         const subwave_block_shape *blocks, int large, subwave_dtype dtype,
                         const subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    const double small = set_block(device, unit, &blocks[!large], dtype, product, kernel);
    kernel->of.matrix.shape = large;
    if (10 * small < 9 * set_block(device, unit, &blocks[large], dtype, product, kernel)) {
        (void)set_block(device, unit, &blocks[!large], dtype, product, kernel);
        kernel->of.matrix.shape = !large;
    }
}

/* f32 and f64, whose unit takes pairs along the rows of A and C and along the columns of B. So they
 * are in memory if C lies by columns; or by rows, if both operands are transposed, too. */
static void plan_pairs(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    const subwave_unit_shape *const unit = &device->shapes->matrix_unit;
    const subwave_block_shape *const blocks = device->shapes->matrix;
    const bool by_rows = product->c_column == 1;
    if (by_rows ? product->a_row != 1 || product->b_row != 1
                : product->a_column == 1 && product->b_column == 1)
        subwave_transpose_product(product);
    choose_block(device, unit, blocks, 0, dtype, product, kernel);
}

/* Whether eight 16-bit neighbours along either dimension of a matrix are an aligned access. */
static bool reads_eight(const void *matrix, int64_t row, int64_t column)
{
    return subwave_reads_together(matrix, row, column, 8, SUBWAVE_DTYPE_F16) ||
           subwave_reads_together(matrix, column, row, 8, SUBWAVE_DTYPE_F16);
}

/* f16 and bf16. */
static void plan_rows(const subwave_capabilities *device, subwave_dtype dtype,
                      subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    subwave_lay_c_by_rows(product);
    const subwave_unit_shape *const unit = &device->shapes->matrix16_unit;
    const subwave_block_shape *const blocks = device->shapes->matrix16;
    kernel->packed = reads_eight(product->a, product->a_row, product->a_column) &&
                     reads_eight(product->b, product->b_row, product->b_column);
    if (kernel->packed && device->matrix16_is_fast)
        choose_block(device, unit, blocks, 1, dtype, product, kernel);
    else
        (void)set_block(device, unit, &blocks[0], dtype, product, kernel);
    if (!kernel->packed) /* which is slower, and has no prediction */
        kernel->share = 0;
}

void subwave_plan_matrix(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    (subwave_dtype_size(dtype) == 2 ? plan_rows : plan_pairs)(device, dtype, product, kernel);
}
