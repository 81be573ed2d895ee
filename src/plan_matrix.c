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
    return device->waves_take_turns ? 5 : device->compute_units;
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

/* Of the sums of a tile whose k is split; 0 if it is not. */
static size_t bytes_of(const subwave_capabilities *device, const subwave_unit_shape *unit,
                       const subwave_block_shape *block, size_t element)
{
    return !block->splits_k
               ? 0
               : (size_t)rows_of(unit, block) * (size_t)columns_of(device, unit, block) * element;
}

/* Room for the sums of two of the largest tiles for each compute unit. */
size_t subwave_matrix_workspace(const subwave_capabilities *device)
{
    const subwave_shapes *const shapes = device->shapes;
    const size_t of_pairs =
                     bytes_of(device, &shapes->matrix_unit, &shapes->matrix[0], sizeof(double)),
                 of_rows = bytes_of(device, &shapes->matrix16_unit,
                                    &shapes->matrix16[device->matrix16_is_fast], sizeof(float));
    return 2 * (size_t)units_of(device) * (of_pairs > of_rows ? of_pairs : of_rows);
}

/* How fast a compute unit is with blocks of a shape. */
typedef struct block_speed {
    int32_t share, alone; /* of the unit's peak, percent: of many of them, and of one */
    int64_t held;         /* blocks that reach `share` together */
    double
        part; /* steps of k in the time in which every compute unit writes or reads a tile's sums */
    double few;  /* the part of that time which it takes if few of them do */
    double wait; /* steps of k in the time until another block has what one has written */
} block_speed;

static block_speed speed_of(const subwave_capabilities *device, const subwave_block_shape *block,
                            subwave_dtype dtype, int64_t tile_elements)
{
    const subwave_shapes *const shapes = device->shapes;
    const size_t size = subwave_dtype_size(dtype);
    const bool fast = size <= 2 && device->matrix16_is_fast;
    const int which = size > 2 ? size < 8 : fast;
    const int32_t share = block->share[which], alone = block->alone[which];
    double products = shapes->products[size == 8 ? 0 : size == 4 ? 1 : 2] * share / 100.;
    if (fast) /* of 8 bits it does twice as many as of 16 */
        products *= size == 2 ? 2 : 4;
    return (block_speed){
        .share = share,
        .alone = alone,
        .held = ceil_divide(share, alone),
        .part =
            (double)subwave_dtype_size(subwave_sum_dtype(dtype)) * products / shapes->sum_bytes[0],
        .few = (double)shapes->sum_bytes[0] / shapes->sum_bytes[1],
        /* Memory answers three times: when the sums are written, when a block counts those that
         * have written theirs, and when the last one reads the sums. */
        .wait = 3 * shapes->latency * products / (double)tile_elements};
}

/* The steps of k in the time in which so many of `units` compute units write or read sums of a tile. */
static double steps_of_part(const block_speed *speed, int64_t count, int64_t units)
{
    const double asking = (double)count / (double)units;
    return speed->part * (asking > 1 ? 1 : asking > speed->few ? asking : speed->few);
}

/* The time of a compute unit for `tiles` of so many steps and then `shares`, if it works on up to
 * `held` blocks at a time: in steps of k that it does when it is full. */
static double steps_together(const block_speed *speed, int64_t tiles, double steps_of_tile,
                             int64_t shares, double steps_of_share)
{
    enum { MOST_HELD = 8 };
    double left[MOST_HELD];
    const double one = (double)speed->share / speed->alone; /* alone it takes as long as so many */
    const int64_t held = lesser_of(speed->held, MOST_HELD), rounds = tiles / held;
    double steps = (double)(rounds * held) * steps_of_tile;
    int64_t count = 0;
    while (count < tiles - rounds * held)
        left[count++] = steps_of_tile;
    for (;;) {
        for (; shares > 0 && count < held; --shares)
            left[count++] = steps_of_share;
        if (count == 0)
            return steps;
        double least = left[0];
        for (int64_t i = 1; i < count; ++i)
            least = left[i] < least ? left[i] : least;
        steps += least * ((double)count < one ? one : (double)count);
        int64_t others = 0;
        for (int64_t i = 0; i < count; ++i)
            if (left[i] > least)
                left[others++] = left[i] - least;
        count = others;
    }
}

/* Sets what follows from the steps of k that a compute unit takes. */
static void set_steps(double steps, int32_t share, double handicap, int64_t k,
                      subwave_matmul_kernel *kernel)
{
    kernel->rounds = steps / (double)greater_of(k, 1);
    kernel->time = handicap * (steps * kernel->tile_rows * kernel->tile_columns / share);
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

/* The next number of shares to try: a multiple of the tiles, of which not all are tried if they are
 * many, or of a round of compute units if a share may have stages of two tiles. */
static int64_t more_shares(int64_t shares, int64_t shared, int64_t round, bool crosses)
{
    const int64_t parts = shares / shared, by_tiles = (parts + 1 + parts / 8) * shared;
    return crosses ? lesser_of(by_tiles, (shares / round + 1) * round) : by_tiles;
}

/* Tiles are computed in rounds, one by each compute unit. Where the last round, or the only one,
 * would leave some idle, or waiting for memory, k of its tiles may be split, or of those of the last
 * rounds: among a multiple of the tiles, or where shares may cross tiles also among as many as units
 * hold in these rounds. Shows that of the fewest steps per unit. */
static void split_last_rounds(const subwave_capabilities *device, const subwave_block_shape *block,
                              subwave_dtype dtype, const block_speed *speed, double handicap,
                              const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                              subwave_candidates *candidates)
{
    const int64_t k = product->k;
    const int64_t units = units_of(device), tiles = kernel->blocks,
                  stages = ceil_divide(greater_of(k, 1), block->stage);
    const double steps_of_tile = (double)stages * block->stage;
    const int64_t part_bytes = (int64_t)kernel->tile_rows * kernel->tile_columns *
                               (int64_t)subwave_dtype_size(subwave_sum_dtype(dtype));
    const int64_t room = (int64_t)subwave_matrix_workspace(device) / part_bytes;
    double least = steps_together(speed, ceil_divide(tiles, units), steps_of_tile, 0, 0);
    kernel->parts = 1;
    kernel->workspace_bytes = 0;
    kernel->of.matrix.tiles = kernel->blocks;
    kernel->of.matrix.stages = (uint32_t)lesser_of(stages, INT32_MAX);
    kernel->of.matrix.shares = kernel->of.matrix.shared = 0;
    kernel->of.matrix.band = USUAL_BAND;
    set_steps(least, speed->share, handicap, k, kernel);
    if (candidates->all)
        candidates->show(candidates, kernel);
    subwave_matmul_kernel best = *kernel;
    const bool crosses = device->shapes->shares_cross_tiles;
    const bool is_whole = !block->splits_k || tiles > INT32_MAX / 2;
    for (int64_t shared = tiles % units == 0 ? units : tiles % units;
         !is_whole && shared <= tiles && shared < (speed->held + 1) * units; shared += units) {
        if (shared > SUBWAVE_WORKSPACE_COUNTERS || shared > INT32_MAX / stages)
            break;
        const int64_t round = round_up(shared, units),
                      limit =
                          lesser_of(lesser_of(speed->held * round, room - shared), shared * stages),
                      most = crosses ? limit : limit / shared * shared;
        for (int64_t shares = lesser_of(more_shares(shared, shared, round, crosses), most);
             shares > shared;
             shares = lesser_of(more_shares(shares, shared, round, crosses), most)) {
            /* Whether each tile is divided by itself; and whether evenly. If it is not, a share may go
             * on in the next tile, and then two blocks multiply it. */
            const bool by_tiles = shares % shared == 0,
                       is_even = by_tiles && stages % (shares / shared) == 0;
            const int64_t fewest = shared * stages / shares; /* stages of a share */
            /* Of a tile, one more where shares differ, since its last block waits for the longest; and
             * of a compute unit, which may read the sums of several tiles. */
            const int64_t parts = ceil_divide(shares, shared) + !is_even,
                          of_unit = ceil_divide(shares, units),
                          reads = (parts - 1) * ceil_divide(of_unit, parts);
            const double steps =
                steps_together(speed, (tiles - shared) / units, steps_of_tile, of_unit,
                               (double)ceil_divide(shared * stages, shares) * block->stage) +
                (double)of_unit * steps_of_part(speed, shares, units) +
                (double)reads * steps_of_part(speed, shared, units) + speed->wait;
            if (steps < least || candidates->all) {
                kernel->parts =
                    (int32_t)(by_tiles ? shares / shared
                                       : lesser_of(ceil_divide(stages, fewest) + 1, shares));
                kernel->of.matrix.tiles = (uint32_t)(tiles - shared);
                kernel->of.matrix.shares = (uint32_t)shares;
                kernel->of.matrix.shared = (uint32_t)shared;
                kernel->blocks = (uint32_t)(tiles - shared + (by_tiles ? 1 : 2) * shares);
                kernel->workspace_bytes = SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t) +
                                          (shares + shared) * part_bytes;
                set_steps(steps, speed->share, handicap, k, kernel);
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
    const int32_t size = (int32_t)subwave_dtype_size(dtype);
    kernel->of.matrix.shape = shape;
    kernel->item_rows = block->tall * unit->item_rows;
    kernel->item_columns = block->wide * unit->item_columns;
    kernel->block_x = (uint32_t)(block->down * block->across * device->wave_size);
    subwave_set_tile(product, rows_of(unit, block), columns_of(device, unit, block), kernel);
    kernel->shared_bytes =
        (uint32_t)(block->stages * block->stage *
                   (kernel->tile_rows / block->tall * subwave_power_of_two(block->tall) +
                    kernel->tile_columns / block->wide * subwave_power_of_two(block->wide)) *
                   size);
    /* 16 bits by single elements are slower, and have no prediction. */
    const bool is_predicted = device->shapes->shares_are_predicted && (size > 2 || kernel->packed);
    const block_speed speed =
        speed_of(device, block, dtype, (int64_t)kernel->tile_rows * kernel->tile_columns);
    kernel->share = is_predicted ? speed.share : 0;
    kernel->alone = is_predicted ? speed.alone : 0;
    split_last_rounds(device, block, dtype, &speed, handicap, product, kernel, candidates);
}

/* Shows two shapes, of which `large` is the number of one. Small blocks read A and B twice as often,
 * which a tenth of time must outweigh. */
static void show_blocks(const subwave_capabilities *device, const subwave_unit_shape *unit,
                        const subwave_block_shape *blocks, int large, subwave_dtype dtype,
                        const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                        subwave_candidates *candidates)
{
    show_block(device, unit, blocks, large, 9, dtype, product, kernel, candidates);
    show_block(device, unit, blocks, !large, 10, dtype, product, kernel, candidates);
}

/* Whether a tile of the block has all of C's few rows or columns. */
static bool tile_has_short_side(const subwave_capabilities *device, const subwave_unit_shape *unit,
                                const subwave_block_shape *block,
                                const subwave_matmul_product *product)
{
    const int64_t rows = rows_of(unit, block), columns = columns_of(device, unit, block);
    return (rows <= columns && product->m <= rows) || (columns <= rows && product->n <= columns);
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
    const subwave_unit_shape *const unit = &device->shapes->matrix_unit;
    const subwave_block_shape *const blocks = device->shapes->matrix;
    show_blocks(device, unit, blocks, 0, dtype, product, kernel, candidates);
    /* They wait for memory, several of them on a compute unit, rather than for the matrix unit; where
     * only a few are there, they take longer for a long k. Measured on an H200. */
    const int64_t longer = greater_of(product->m, product->n);
    const bool are_few = product->k > 256 && longer / 64 < 3 * units_of(device);
    for (int thin = SUBWAVE_MATRIX_THIN; thin < SUBWAVE_MATRIX_SHAPES && blocks[thin].down != 0;
         ++thin)
        if (tile_has_short_side(device, unit, &blocks[thin], product))
            show_block(device, unit, blocks, thin, are_few ? 11 : 8, dtype, product, kernel,
                       candidates);
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
        if (subwave_dtype_size(dtype) == 2) /* and another tenth for the smallest */
            show_block(device, unit, blocks, 2, 11, dtype, product, kernel, candidates);
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
