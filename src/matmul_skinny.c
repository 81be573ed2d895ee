/* SPDX-License-Identifier: MIT
 * matmul_skinny.c: launch shapes of products with few rows or columns. The constants are those of the tiles in
 * hip/matmul_skinny.hpp.
 */
#include "plan.h"

#include <string.h>

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Blocks that share their tiles: as many as run at a time. They decide the order of sums: on the CPU device they are
 * as many on every machine, so that the bits of a result are the same. */
static int64_t most_blocks(const subwave_device_properties *device)
{
    return is_cpu(device) ? 32 : 2 * (int64_t)device->compute_units;
}

bool subwave_plan_has_skinny(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_F32 || dtype == SUBWAVE_DTYPE_F64;
}

size_t subwave_plan_workspace(const subwave_device_properties *device)
{
    const size_t tile = 16 * (size_t)device->sub_group_sizes[0] * 16; /* bytes of the largest */
    return SUBWAVE_SKINNY_TILES * sizeof(uint32_t) + (size_t)most_blocks(device) * tile;
}

/* A tile's columns, the terms of k that a block takes at a time, and elements of local memory. */
typedef struct shape {
    int64_t columns, terms, elements;
} shape;

static shape shape_lanes(subwave_matmul_launch *launch, bool down, int64_t wave, int64_t waves, int64_t pack)
{
    const int64_t rows = launch->tile_rows;
    const bool narrow = !down && 2 * launch->n <= wave * pack;
    const int64_t lanes = narrow ? 4 : wave, steps = !narrow ? 8 : rows * 16 / pack > 64 ? 2 : 4;
    const int64_t columns = lanes * pack, terms = steps * (wave / lanes);
    launch->skinny_shape = down     ? SUBWAVE_SKINNY_DOWN
                           : narrow ? SUBWAVE_SKINNY_NARROW
                                    : SUBWAVE_SKINNY_ACROSS;
    launch->item_columns = (int32_t)pack;
    return (shape){columns, waves * terms,
                   waves * most(2 * terms * rows + (down ? columns * (steps + pack) : 0),
                                least(rows, 8) * columns)};
}

static shape shape_dots(subwave_matmul_launch *launch, int64_t wave, int64_t waves, int64_t pack)
{
    launch->skinny_shape = SUBWAVE_SKINNY_DOWN;
    launch->item_columns = SUBWAVE_SKINNY_DOTS;
    return (shape){SUBWAVE_SKINNY_DOTS, waves * 2 * wave * pack, waves * SUBWAVE_SKINNY_DOTS};
}

/* Rows that do not exist leave the unit idle, but its time is that of B's loads. The bounds are measured on an
 * H200. */
static shape shape_unit(subwave_matmul_launch *launch, bool down, int64_t blocks)
{
    static const struct {
        int64_t along, steps;
    } units[] = {
#define SUBWAVE_X(name, along, steps, down) [SUBWAVE_SKINNY_##name] = {along, steps},
        SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
    };
    const int64_t columns = 64, n = launch->n; /* columns that share A's terms */
    const bool many = ceil_divide(n, columns) >= blocks;
    const bool is_long = n > 4 * columns && 2 * ceil_divide(n, 16) <= blocks &&
                         launch->k >= 512 * ceil_divide(columns * blocks, n);
    launch->skinny_shape = down      ? many ? SUBWAVE_SKINNY_UNIT_DOWN_MANY : SUBWAVE_SKINNY_UNIT_DOWN
                           : many    ? SUBWAVE_SKINNY_UNIT_ACROSS_MANY
                           : is_long ? SUBWAVE_SKINNY_UNIT_ACROSS_LONG
                                     : SUBWAVE_SKINNY_UNIT_ACROSS;
    launch->tile_rows = 16;
    launch->item_rows = down ? 2 : 4;
    launch->item_columns = down ? 4 : 2;
    const int64_t along = units[launch->skinny_shape].along;
    return (shape){columns / along, along * units[launch->skinny_shape].steps * 8, 16 * columns};
}

void subwave_plan_skinny(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_matmul_launch *launch)
{
    const bool cpu = is_cpu(device);
    const int64_t wave = device->sub_group_sizes[0], size = (int64_t)subwave_dtype_size(dtype);
    const int64_t pack = 16 / size;
    const bool down = launch->n == 1 || (launch->b_column != 1 && launch->k > 1);
    const bool unit = is_nvidia(device) && dtype == SUBWAVE_DTYPE_F64 && launch->m > 1 &&
                      subwave_plan_has_matrix(device, dtype);
    launch->block_x = unit ? SUBWAVE_SKINNY_UNIT_BLOCK
                           : (uint32_t)(cpu ? SUBWAVE_SKINNY_CPU_WAVES * wave : SUBWAVE_SKINNY_BLOCK);
    launch->item_rows = launch->tile_rows = launch->m == 1 ? 1 : launch->m <= 4 ? 4 : 16;
    const int64_t waves = launch->block_x / wave;
    const shape s = unit                             ? shape_unit(launch, down, most_blocks(device))
                    : down && launch->tile_rows == 1 ? shape_dots(launch, wave, waves, pack)
                                                     : shape_lanes(launch, down, wave, waves, pack);
    launch->packed = down ? subwave_plan_reads_together(launch->b, launch->b_column, launch->b_row, pack, dtype)
                          : subwave_plan_reads_together(launch->b, launch->b_row, launch->b_column, pack, dtype);
    launch->tile_columns = (int32_t)s.columns;

    /* Where there are few tiles, several blocks share each. */
    const int64_t rows = launch->tile_rows;
    const int64_t tiles = ceil_divide(launch->m, rows) * ceil_divide(launch->n, s.columns);
    const int64_t teams = most(1, launch->block_x * pack / (rows * s.columns)); /* that add parts up */
    int64_t parts = tiles <= SUBWAVE_SKINNY_TILES ? most_blocks(device) / tiles : 1;
    parts = most(1, least(least(parts, least(128, 64 * teams)), launch->k / s.terms));
    launch->part = most(1, ceil_divide(ceil_divide(launch->k, parts), s.terms)) * s.terms;
    launch->parts = (int32_t)most(1, ceil_divide(launch->k, launch->part));
    launch->tiles = (uint32_t)tiles;
    launch->blocks = (uint32_t)least(tiles * launch->parts, UINT32_MAX);
    launch->shared_bytes = (uint32_t)(most(s.elements, launch->block_x * pack) * size);
}
