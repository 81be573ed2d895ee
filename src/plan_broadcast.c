/* SPDX-License-Identifier: MIT
 * plan_broadcast.c: the tile of BROADCAST.
 */
#include "plan.h"

#include "check.h"

/* `waves` of a block with tiles one below the other, for each of `splits` parts of k. */
typedef struct broadcast_block {
    subwave_broadcast_shape item;
    int64_t waves, splits;
} broadcast_block;

/* Words of four steps of k are broadcast through the whole wave, in the last of the shapes. */
static bool is_by_words(subwave_dtype dtype) { return dtype == SUBWAVE_DTYPE_I8; }

static bool is_for(const subwave_broadcast_shape *shape, subwave_dtype dtype)
{
    return subwave_broadcast_is_for(shape, (int64_t)subwave_dtype_size(dtype),
                                    subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX);
}

static int64_t team_of(const subwave_capabilities *device, subwave_dtype dtype)
{
    return is_by_words(dtype) ? device->wave_size : device->team_size;
}

static void set_block(const subwave_capabilities *device, subwave_dtype dtype,
                      const subwave_matmul_product *product, broadcast_block block,
                      subwave_matmul_kernel *kernel)
{
    const int64_t wave = device->wave_size, team = team_of(device, dtype);
    const int64_t sum_size = (int64_t)subwave_dtype_size(subwave_sum_dtype(dtype)),
                  pack = 16 / (int64_t)subwave_dtype_size(dtype);
    kernel->item_rows = block.item.rows;
    kernel->item_columns = block.item.columns;
    kernel->packed = subwave_reads_together(product->b, product->b_row, product->b_column,
                                            lesser_of(pack, block.item.columns), dtype);
    kernel->block_x = (uint32_t)(block.waves * wave);
    kernel->block_y = (uint32_t)block.splits;
    kernel->shared_bytes = (uint32_t)(block.splits / 2 * block.waves * block.item.rows *
                                      block.item.columns * wave * sum_size);
    subwave_set_tile(product, block.waves * block.item.rows * (wave / team),
                     block.item.columns * team, kernel);
}

/* A wave of its own for each block. Wide tiles where they are not mostly beyond C. */
static void plan_in_turns(const subwave_capabilities *device, subwave_dtype dtype,
                          const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                          subwave_candidates *candidates)
{
    const int64_t wave = device->wave_size;
    const subwave_broadcast_shape *const tiles = device->shapes->broadcast;
    const bool wide =
        dtype == SUBWAVE_DTYPE_F32 && round_up(product->n, tiles[0].columns * wave) ==
                                          round_up(product->n, tiles[1].columns * wave);
    for (int t = 0; t < 2; ++t)
        if (t == !wide || (candidates->all && !is_by_words(dtype) && is_for(&tiles[t], dtype))) {
            set_block(device, dtype, product, (broadcast_block){tiles[t], 1, 1}, kernel);
            if (!is_by_words(dtype))
                kernel->packed = product->b_column == 1;
            candidates->show(candidates, kernel);
        }
}

/* Large tiles of C in registers save loads, as long as there are tiles for every unit. */
static void plan_by_count(const subwave_capabilities *device, subwave_dtype dtype,
                          const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                          subwave_candidates *candidates)
{
    const int64_t wave = device->wave_size, enough = 4 * (int64_t)device->compute_units;
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    const bool packed =
        subwave_reads_together(product->b, product->b_row, product->b_column, 16 / size, dtype);
    const bool scalars = subwave_broadcast_by_scalars(device->shapes, size, packed);
    int32_t last = device->shapes->broadcast_count - 1;
    while (device->shapes->broadcast[last].scalars != scalars)
        --last;
    bool planned = false;
    for (int32_t t = 0; t <= last && (!planned || candidates->all); ++t) {
        const subwave_broadcast_shape item = device->shapes->broadcast[t];
        if (item.scalars != scalars || !is_for(&item, dtype) || (is_by_words(dtype) && t != last))
            continue; /* the last one is for all types */
        const int64_t tiles = subwave_count_tiles(product, item.rows, item.columns * wave);
        const bool suits = !planned && (tiles >= enough || t == last);
        planned = planned || suits;
        /* Waves with the same part of k share rows of B in the cache. */
        for (int64_t waves = 1; waves <= 4; waves *= 4)
            if (candidates->all || (suits && waves == (tiles < enough ? 1 : 4))) {
                set_block(device, dtype, product, (broadcast_block){item, waves, 1}, kernel);
                candidates->show(candidates, kernel);
            }
    }
}

/* What a product takes in this shape, to compare: its rounds of blocks, of which a compute unit
 * holds 8 waves, or 12 where these have few registers. A round takes as long as 48 steps of k beside
 * its own; in a block whose k is not split all wait for the same rows of B, and parts must be added.
 * Measured on an H200 (docs/notes.md). */
static double time_of(const subwave_capabilities *device, subwave_dtype dtype,
                      const broadcast_block *block, const subwave_matmul_product *product,
                      const subwave_matmul_kernel *kernel)
{
    const bool few_registers =
        block->item.rows * block->item.columns <= 16 && subwave_dtype_size(dtype) <= 4;
    const double blocks = (double)ceil_divide(product->m, kernel->tile_rows) *
                          (double)ceil_divide(product->n, kernel->tile_columns);
    const int64_t held =
        (few_registers ? 12 : 8) * (int64_t)device->compute_units / (block->waves * block->splits);
    const double rounds =
        blocks < 1e9 ? (double)ceil_divide((int64_t)blocks, held) : blocks / (double)held;
    const double steps = (double)product->k / (double)block->splits + 48;
    const double adding = block->splits == 1 ? 1.05 : 1 + 0.01 * (double)block->splits;
    return rounds * steps * block->item.rows * block->item.columns / block->item.rate * adding;
}

static void plan_by_time(const subwave_capabilities *device, subwave_dtype dtype,
                         const subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates)
{
    const int64_t least_steps = 32;
    for (int32_t t = 0; t < device->shapes->broadcast_count; ++t) {
        const subwave_broadcast_shape item = device->shapes->broadcast[t];
        if (!is_for(&item, dtype))
            continue;
        for (int64_t splits = 1; splits <= device->shapes->broadcast_splits; splits *= 2) {
            const broadcast_block block = {item, splits < 4 ? 4 / splits : 1, splits};
            set_block(device, dtype, product, block, kernel);
            const bool too_short = splits > 1 && product->k < splits * least_steps;
            if ((too_short && !candidates->all) || kernel->shared_bytes > 64 * 1024)
                break;
            kernel->time = time_of(device, dtype, &block, product, kernel);
            candidates->show(candidates, kernel);
        }
    }
}

void subwave_plan_broadcast(const subwave_capabilities *device, subwave_dtype dtype,
                            subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                            subwave_candidates *candidates)
{
    subwave_lay_c_by_rows(product);
    (device->waves_take_turns ? plan_in_turns
     : device->shapes->broadcast[0].rate > 0 && !is_by_words(dtype)
         ? plan_by_time
         : plan_by_count)(device, dtype, product, kernel, candidates);
}
