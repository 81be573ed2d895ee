/* SPDX-License-Identifier: MIT
 * plan_matrix.c: the blocks of MATRIX, and how k is split among them.
 */
#include "plan.h"

#include "check.h"

#include <subwave/subwave.h>

/* Compute units that a plan counts on. On the CPU device they are as many on every machine, so
 * that the bits of a result are the same. */
static int64_t units_of(const subwave_capabilities *device)
{
    return device->waves_take_turns ? 3 : device->compute_units;
}

static int32_t columns_of(const subwave_capabilities *device, const subwave_unit_shape *unit,
                          const subwave_block_shape *block)
{
    return block->across * block->wide *
           (unit->per_lane ? unit->columns * device->wave_size : unit->columns);
}

static int32_t rows_of(const subwave_unit_shape *unit, const subwave_block_shape *block)
{
    return block->down * block->tall * unit->rows;
}

/* Room for two tiles of f64 for each block of those that run at a time. */
size_t subwave_matrix_workspace(const subwave_capabilities *device)
{
    const subwave_unit_shape *const unit = &device->shapes->matrix_unit;
    const subwave_block_shape *const block = &device->shapes->matrix[0];
    return !block->splits_k ? 0
                            : 2 * (size_t)units_of(device) * (size_t)rows_of(unit, block) *
                                  (size_t)columns_of(device, unit, block) * sizeof(double);
}

/* What a block takes to write a tile's sums, or to read them, in steps of k. */
static double steps_of_part(const subwave_capabilities *device, subwave_dtype dtype, int32_t share)
{
    const size_t size = subwave_dtype_size(dtype);
    const int32_t steps = device->shapes->part_steps[size == 8 ? 0 : size == 4 ? 1 : 2];
    return steps * share / 100. * (size == 2 && device->matrix16_is_fast ? 2 : 1);
}

/* Tiles are computed in rounds, one by each compute unit. Where the last round, or the only one,
 * would leave some idle, k of its tiles is split, or of those of the last two rounds: among as many
 * shares as there are units in these rounds, or as a multiple of the tiles. A share may end within
 * one tile and go on in the next. Returns the steps of k that a unit takes. */
static double split_last_rounds(const subwave_capabilities *device,
                                const subwave_block_shape *block, subwave_dtype dtype,
                                int32_t share, int64_t k, subwave_matmul_kernel *kernel)
{
    const int64_t units = units_of(device), tiles = kernel->blocks,
                  stages = ceil_divide(greater_of(k, 1), block->stage);
    const double steps_of_tile = (double)stages * block->stage,
                 part = steps_of_part(device, dtype, share);
    const int64_t part_bytes = (int64_t)kernel->tile_rows * kernel->tile_columns *
                               (int64_t)subwave_dtype_size(subwave_sum_dtype(dtype));
    const int64_t room = (int64_t)subwave_matrix_workspace(device) / (2 * part_bytes);
    double least = (double)ceil_divide(tiles, units) * steps_of_tile;
    kernel->parts = 1;
    kernel->workspace_bytes = 0;
    kernel->of.matrix.tiles = kernel->blocks;
    kernel->of.matrix.stages = (uint32_t)lesser_of(stages, INT32_MAX);
    kernel->of.matrix.shares = kernel->of.matrix.shared = 0;
    if (!block->splits_k || tiles % units == 0 || tiles > INT32_MAX / 2)
        return least;
    for (int64_t shared = tiles % units; shared <= tiles && shared < 2 * units; shared += units) {
        if (shared > SUBWAVE_WORKSPACE_COUNTERS || shared > INT32_MAX / stages)
            break;
        const int64_t most = lesser_of(lesser_of(round_up(shared, units), room), shared * stages);
        for (int64_t shares = lesser_of(2 * shared, most); shares > shared;
             shares = lesser_of(shares + shared, most)) {
            const int64_t fewest = shared * stages / shares; /* stages of a share */
            /* Whether no share goes on in a next tile. */
            const bool ends =
                shared == 1 || (shared * stages % shares == 0 && stages % fewest == 0);
            const double steps_of_share =
                (double)ceil_divide(shared * stages, shares) * block->stage +
                part * (double)(ceil_divide(shares, shared) + !ends);
            const double steps = (double)((tiles - shared) / units) * steps_of_tile +
                                 (double)ceil_divide(shares, units) * steps_of_share;
            if (steps < least) {
                least = steps;
                kernel->parts = (int32_t)lesser_of(ceil_divide(stages, fewest) + !ends, shares);
                kernel->of.matrix.shares = (uint32_t)shares;
                kernel->of.matrix.shared = (uint32_t)shared;
                kernel->blocks = (uint32_t)(tiles - shared + (ends ? 1 : 2) * shares);
            }
            if (shares == most)
                break;
        }
    }
    kernel->of.matrix.tiles -= kernel->of.matrix.shared;
    if (kernel->parts > 1)
        kernel->workspace_bytes = SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t) +
                                  2 * kernel->of.matrix.shares * part_bytes;
    return least;
}

/* Blocks of a shape, and the shared memory for their stages of A and B. Returns the time that they
 * take to compute, to compare. */
static double set_block(const subwave_capabilities *device, const subwave_unit_shape *unit,
                        const subwave_block_shape *block, subwave_dtype dtype,
                        const subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    const int32_t size = (int32_t)subwave_dtype_size(dtype), share = block->share[size < 8];
    kernel->item_rows = block->tall * unit->item_rows;
    kernel->item_columns = block->wide * unit->item_columns;
    kernel->block_x = (uint32_t)(block->down * block->across * device->wave_size);
    subwave_set_tile(product, rows_of(unit, block), columns_of(device, unit, block), kernel);
    kernel->shared_bytes = (uint32_t)(block->stages * block->stage *
                                      (kernel->tile_rows + kernel->tile_columns) * size);
    kernel->share = device->shapes->shares_are_predicted ? share : 0;
    const double steps = split_last_rounds(device, block, dtype, share, product->k, kernel);
    kernel->rounds = steps / (double)greater_of(product->k, 1);
    return steps * kernel->tile_rows * kernel->tile_columns / share;
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
