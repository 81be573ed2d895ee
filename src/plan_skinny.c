/* SPDX-License-Identifier: MIT
 * plan_skinny.c: the tiles of SKINNY, and how k is split among blocks.
 */
#include "plan.h"

#include <subwave/subwave.h>

/* Blocks that share their tiles: as many as run at a time. They decide the order of sums: on the
 * CPU device they are as many on every machine, so that the bits of a result are the same. */
static int64_t most_blocks(const subwave_capabilities *device)
{
    return device->waves_take_turns ? 32 : 2 * (int64_t)device->compute_units;
}

size_t subwave_skinny_workspace(const subwave_capabilities *device)
{
    const size_t tile = 16 * (size_t)device->wave_size * 16; /* bytes of the largest */
    return (size_t)most_blocks(device) * tile;
}

/* A tile's columns, the steps of k that a block takes at a time, and elements of shared memory. */
typedef struct tile {
    int64_t columns, steps, elements;
} tile;

static tile set_lanes(const subwave_matmul_product *product, bool down, int64_t wave, int64_t waves,
                      int32_t element_size, subwave_matmul_kernel *kernel)
{
    const int64_t rows = kernel->tile_rows, pack = 16 / element_size;
    const bool narrow = !down && product->n <= wave * pack / 2;
    const int64_t lanes = narrow ? SUBWAVE_SKINNY_NARROW_LANES : wave;
    const int64_t packs = subwave_skinny_steps((int32_t)rows, element_size, narrow);
    const int64_t columns = lanes * pack, steps = packs * (wave / lanes);
    kernel->of.skinny.shape = down     ? SUBWAVE_SKINNY_DOWN
                              : narrow ? SUBWAVE_SKINNY_NARROW
                                       : SUBWAVE_SKINNY_ACROSS;
    kernel->item_columns = (int32_t)pack;
    return (tile){columns, waves * steps,
                  waves * greater_of(2 * steps * rows + (down ? columns * (packs + pack) : 0),
                                     lesser_of(rows, SUBWAVE_SKINNY_ROUND) * columns)};
}

static tile set_dots(int64_t wave, int64_t waves, int32_t element_size,
                     subwave_matmul_kernel *kernel)
{
    kernel->of.skinny.shape = SUBWAVE_SKINNY_DOWN;
    kernel->item_columns = SUBWAVE_SKINNY_DOTS;
    return (tile){SUBWAVE_SKINNY_DOTS,
                  waves * SUBWAVE_SKINNY_DOTS_STEPS * wave * (16 / element_size),
                  waves * SUBWAVE_SKINNY_DOTS};
}

/* Rows that do not exist leave the unit idle, but its time is that of B's loads. The bounds are
 * measured on an H200, the only device of those with this unit that was at hand. */
static tile set_unit(const subwave_matmul_product *product, bool down, int64_t wave, int64_t blocks,
                     subwave_matmul_kernel *kernel)
{
    static const struct {
        int64_t along, steps;
    } units[] = {
#define SUBWAVE_X(name, along, steps, down) [SUBWAVE_SKINNY_##name] = {along, steps},
        SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
    };
    /* Columns that share A's elements. */
    const int64_t columns = SUBWAVE_SKINNY_UNIT_BLOCK / wave * SUBWAVE_SKINNY_UNIT_ROWS,
                  n = product->n;
    const bool many = ceil_divide(n, columns) >= blocks;
    const bool is_long = n > 4 * columns &&
                         2 * ceil_divide(n, SUBWAVE_SKINNY_UNIT_ROWS) <= blocks &&
                         product->k >= 512 * ceil_divide(columns * blocks, n);
    kernel->of.skinny.shape = down ? many ? SUBWAVE_SKINNY_UNIT_DOWN_MANY : SUBWAVE_SKINNY_UNIT_DOWN
                              : many    ? SUBWAVE_SKINNY_UNIT_ACROSS_MANY
                              : is_long ? SUBWAVE_SKINNY_UNIT_ACROSS_LONG
                                        : SUBWAVE_SKINNY_UNIT_ACROSS;
    kernel->tile_rows = SUBWAVE_SKINNY_UNIT_ROWS;
    kernel->item_rows = down ? 2 : 4;
    kernel->item_columns = down ? 4 : 2;
    const int64_t along = units[kernel->of.skinny.shape].along;
    return (tile){columns / along,
                  along * units[kernel->of.skinny.shape].steps * SUBWAVE_SKINNY_UNIT_DEPTH,
                  SUBWAVE_SKINNY_UNIT_ROWS * columns};
}

/* The larger matrix is to be the right one, B; of two equal ones one that lies by rows there. */
static bool larger_is_left(const subwave_matmul_product *product)
{
    if (product->m == product->n)
        return product->b_column != 1 && product->a_row == 1;
    return product->m > product->n;
}

void subwave_plan_skinny(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel)
{
    if (larger_is_left(product))
        subwave_transpose_product(product);
    const int32_t element_size = (int32_t)subwave_dtype_size(dtype);
    const int64_t wave = device->wave_size, pack = 16 / element_size;
    const bool down = product->n == 1 || (product->b_column != 1 && product->k > 1);
    const bool unit = device->shapes->f64_unit_in_groups && dtype == SUBWAVE_DTYPE_F64 &&
                      product->m > 1 && subwave_has_matrix_unit(device, dtype);
    kernel->block_x = unit                       ? SUBWAVE_SKINNY_UNIT_BLOCK
                      : device->waves_take_turns ? (uint32_t)(SUBWAVE_SKINNY_CPU_WAVES * wave)
                                                 : SUBWAVE_SKINNY_BLOCK;
    kernel->item_rows = kernel->tile_rows = product->m == 1 ? 1 : product->m <= 4 ? 4 : 16;
    const int64_t waves = kernel->block_x / wave;
    const tile t = unit ? set_unit(product, down, wave, most_blocks(device), kernel)
                   : down && kernel->tile_rows == 1
                       ? set_dots(wave, waves, element_size, kernel)
                       : set_lanes(product, down, wave, waves, element_size, kernel);
    kernel->packed =
        down ? subwave_reads_together(product->b, product->b_column, product->b_row, pack, dtype)
             : subwave_reads_together(product->b, product->b_row, product->b_column, pack, dtype);
    kernel->tile_columns = (int32_t)t.columns;

    /* Where there are few tiles, several blocks share each. */
    const int64_t rows = kernel->tile_rows, k = product->k;
    const int64_t tiles = subwave_count_tiles(product, rows, t.columns);
    /* that add parts up */
    const int64_t teams = greater_of(1, kernel->block_x * pack / (rows * t.columns));
    int64_t parts = tiles <= SUBWAVE_SKINNY_TILES ? most_blocks(device) / tiles : 1;
    parts = greater_of(1, lesser_of(lesser_of(parts, lesser_of(128, 64 * teams)), k / t.steps));
    kernel->of.skinny.part = round_up(greater_of(1, ceil_divide(k, parts)), t.steps);
    kernel->parts = (int32_t)greater_of(1, ceil_divide(k, kernel->of.skinny.part));
    kernel->of.skinny.tiles = (uint32_t)tiles;
    if (kernel->parts > 1)
        kernel->workspace_bytes = SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t) +
                                  tiles * kernel->parts * rows * t.columns * element_size;
    kernel->blocks = (uint32_t)lesser_of(tiles * kernel->parts, UINT32_MAX);
    kernel->shared_bytes =
        (uint32_t)(greater_of(t.elements, kernel->block_x * pack) * element_size);
}
