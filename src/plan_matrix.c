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

/* Blocks that a compute unit holds to keep its four SIMDs at work. */
static int64_t held_of(const subwave_capabilities *device, const subwave_block_shape *block)
{
    const int32_t waves = block->down * block->across;
    return device->waves_take_turns || waves >= 4 ? 1 : 4 / waves;
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
    /* Of 8 bits a fast unit does twice as many steps as of 16. */
    const double fast = size > 2 || !device->matrix16_is_fast ? 1 : size == 2 ? 2 : 4;
    return steps * share / 100. * fast;
}

/* Sets what follows from the steps of k that a compute unit takes, for each of the blocks that it
 * holds. */
static void set_steps(double steps, int64_t held, int32_t share, double handicap, int64_t k,
                      subwave_matmul_kernel *kernel)
{
    kernel->rounds = (double)held * steps / (double)greater_of(k, 1);
    kernel->time =
        handicap * ((double)held * steps * kernel->tile_rows * kernel->tile_columns / share);
}

enum { USUAL_BAND = 16 };

/* Shows a plan, or, since that was shown, its tiles in other orders. */
static void show_best(const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                      subwave_candidates *candidates)
{
    const int64_t down = ceil_divide(product->m, kernel->tile_rows);
    if (!candidates->all)
        candidates->show(candidates, kernel);
    for (uint32_t band = 2; candidates->all && band < 2 * down && band <= 64; band *= 2)
        if (lesser_of(band, down) != lesser_of(USUAL_BAND, down)) {
            kernel->of.matrix.band = band;
            candidates->show(candidates, kernel);
        }
}

/* Tiles are computed in rounds, one by each compute unit. Where the last round, or the only one,
 * would leave some idle, k of its tiles may be split, or of those of the last two rounds: among as
 * many shares as there are units in these rounds, or as a multiple of the tiles. A share may end
 * within one tile and go on in the next. Shows that of the fewest steps per unit. */
static void split_last_rounds(const subwave_capabilities *device, const subwave_block_shape *block,
                              subwave_dtype dtype, int32_t share, double handicap,
                              const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                              subwave_candidates *candidates)
{
    const int64_t k = product->k;
    const int64_t held = held_of(device, block), units = held * units_of(device),
                  tiles = kernel->blocks, stages = ceil_divide(greater_of(k, 1), block->stage);
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
    kernel->of.matrix.band = USUAL_BAND;
    set_steps(least, held, share, handicap, k, kernel);
    const bool is_whole = !block->splits_k || tiles % units == 0 || tiles > INT32_MAX / 2;
    if (candidates->all)
        candidates->show(candidates, kernel);
    subwave_matmul_kernel best = *kernel;
    for (int64_t shared = tiles % units; !is_whole && shared <= tiles && shared < 2 * units;
         shared += units) {
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
            if (steps < least || candidates->all) {
                kernel->parts = (int32_t)lesser_of(ceil_divide(stages, fewest) + !ends, shares);
                kernel->of.matrix.tiles = (uint32_t)(tiles - shared);
                kernel->of.matrix.shares = (uint32_t)shares;
                kernel->of.matrix.shared = (uint32_t)shared;
                kernel->blocks = (uint32_t)(tiles - shared + (ends ? 1 : 2) * shares);
                kernel->workspace_bytes = SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t) +
                                          2 * shares * part_bytes;
                set_steps(steps, held, share, handicap, k, kernel);
            }
            if (candidates->all)
                candidates->show(candidates, kernel);
            if (steps < least) {
                least = steps;
                best = *kernel;
            }
            if (shares == most)
                break;
        }
    }
    show_best(product, &best, candidates);
}

/* Shows blocks of shape number `shape`, with the shared memory for their stages of A and B.
 * `handicap`: of their time. */
static void show_block(const subwave_capabilities *device, const subwave_unit_shape *unit,
                       const subwave_block_shape *blocks, int shape, double handicap,
                       subwave_dtype dtype, const subwave_matmul_product *product,
                       subwave_matmul_kernel *kernel, subwave_candidates *candidates)
{
    const subwave_block_shape *const block = &blocks[shape];
    const int32_t size = (int32_t)subwave_dtype_size(dtype), share = block->share[size < 8];
    kernel->of.matrix.shape = shape;
    kernel->item_rows = block->tall * unit->item_rows;
    kernel->item_columns = block->wide * unit->item_columns;
    kernel->block_x = (uint32_t)(block->down * block->across * device->wave_size);
    subwave_set_tile(product, rows_of(unit, block), columns_of(device, unit, block), kernel);
    kernel->shared_bytes = (uint32_t)(block->stages * block->stage *
                                      (kernel->tile_rows + kernel->tile_columns) * size);
    /* 16 bits by single elements are slower, and have no prediction. */
    const bool is_predicted = device->shapes->shares_are_predicted && (size > 2 || kernel->packed);
    kernel->share = is_predicted ? share : 0;
    split_last_rounds(device, block, dtype, share, handicap, product, kernel, candidates);
}

/* Shows two shapes, of which `large` is the number of one. Small blocks read A and B more often,
 * which a tenth of time must outweigh. */
static void show_blocks(const subwave_capabilities *device, const subwave_unit_shape *unit,
                        const subwave_block_shape *blocks, int large, subwave_dtype dtype,
                        const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                        subwave_candidates *candidates)
{
    show_block(device, unit, blocks, large, 9, dtype, product, kernel, candidates);
    show_block(device, unit, blocks, !large, 10, dtype, product, kernel, candidates);
}

/* f32 and f64, whose unit takes pairs along the rows of A and C and along the columns of B. So they
 * are in memory if C lies by columns; or by rows, if both operands are transposed, too. */
static void plan_pairs(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                       subwave_candidates *candidates)
{
    const bool by_rows = product->c_column == 1;
    if (by_rows ? product->a_row != 1 || product->b_row != 1
                : product->a_column == 1 && product->b_column == 1)
        subwave_transpose_product(product);
    show_blocks(device, &device->shapes->matrix_unit, device->shapes->matrix, 0, dtype, product,
                kernel, candidates);
}

/* Whether 16 bytes of a line of A or of B are an aligned access; of elements of 16 bits also whether
 * those of neighbouring lines are. Bytes are not turned on their way to shared memory: the kernels
 * for it would be large. */
static bool reads_chunks(const void *matrix, int64_t by_line, int64_t by_k, subwave_dtype dtype)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype), count = 16 / size;
    return subwave_reads_together(matrix, by_line, by_k, count, dtype) ||
           (size == 2 && subwave_reads_together(matrix, by_k, by_line, count, dtype));
}

/* Elements of 16 and 8 bits. */
static void plan_rows(const subwave_capabilities *device, subwave_dtype dtype,
                      subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                      subwave_candidates *candidates)
{
    subwave_lay_c_by_rows(product);
    const subwave_unit_shape *const unit = &device->shapes->matrix16_unit;
    const subwave_block_shape *const blocks =
        subwave_dtype_size(dtype) == 1 ? device->shapes->matrix8 : device->shapes->matrix16;
    kernel->packed = reads_chunks(product->a, product->a_row, product->a_column, dtype) &&
                     reads_chunks(product->b, product->b_column, product->b_row, dtype);
    if (kernel->packed && device->matrix16_is_fast) {
        show_blocks(device, unit, blocks, 1, dtype, product, kernel, candidates);
        if (subwave_dtype_size(dtype) == 2) /* these read A and B four times as often */
            show_block(device, unit, blocks, 2, 12, dtype, product, kernel, candidates);
    } else {
        show_block(device, unit, blocks, 0, 10, dtype, product, kernel, candidates);
    }
}

void subwave_plan_matrix(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates)
{
    (subwave_dtype_size(dtype) <= 2 ? plan_rows : plan_pairs)(device, dtype, product, kernel,
                                                              candidates);
}
