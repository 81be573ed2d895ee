/* SPDX-License-Identifier: MIT
 * plan_skinny.c: the tiles of SKINNY, and how k is split among blocks.
 */
#include "plan.h"

#include <subwave/subwave.h>

/* They decide the order of sums: on the CPU device they are as many on every machine, so that the
 * bits of a result are the same. */
static int64_t units_of(const subwave_capabilities *device)
{
    return device->waves_take_turns ? 16 : (int64_t)device->compute_units;
}

/* Blocks that share their tiles: as many as run at a time. */
static int64_t most_blocks(const subwave_capabilities *device) { return 2 * units_of(device); }

static const struct staged_shape {
    int64_t bytes, rows, columns, item_rows, item_columns, steps, stages;
    bool down;
    int64_t blocks, least_part;
} staged_shapes[] = {
#define SUBWAVE_X(name, ...) [SUBWAVE_SKINNY_##name] = {__VA_ARGS__},
    SUBWAVE_SKINNY_STAGES(SUBWAVE_X)
#undef SUBWAVE_X
};

/* The same of staged shapes. */
static int64_t most_staged(const subwave_capabilities *device, const struct staged_shape *shape)
{
    return (device->waves_take_turns ? 2 : shape->blocks) * units_of(device);
}

static subwave_dtype dtype_of_stages(subwave_skinny_shape shape)
{
    return staged_shapes[shape].bytes == sizeof(float) ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64;
}

size_t subwave_skinny_workspace(const subwave_capabilities *device)
{
    /* bytes of the largest tile */
    int64_t bytes = most_blocks(device) * 16 * (int64_t)device->wave_size * 16;
    for (size_t s = 0; s < sizeof staged_shapes / sizeof *staged_shapes; ++s)
        if (device->shapes->skinny_staged)
            bytes =
                greater_of(bytes, most_staged(device, &staged_shapes[s]) * staged_shapes[s].rows *
                                      staged_shapes[s].columns * staged_shapes[s].bytes);
    return (size_t)bytes;
}

/* A tile's columns, the steps of k that a block takes at a time, and elements of shared memory. */
typedef struct tile {
    int64_t columns, steps, elements;
} tile;

static int64_t block_of_lanes(const subwave_capabilities *device)
{
    return device->waves_take_turns ? SUBWAVE_SKINNY_CPU_WAVES * (int64_t)device->wave_size
                                    : SUBWAVE_SKINNY_BLOCK;
}

static tile set_lanes(int64_t wave, int64_t waves, int32_t element_size,
                      subwave_matmul_kernel *kernel)
{
    const int64_t along = kernel->of.skinny.along;
    const int64_t rows = kernel->tile_rows, pack = 16 / element_size;
    const bool down = kernel->of.skinny.shape == SUBWAVE_SKINNY_DOWN,
               narrow = kernel->of.skinny.shape == SUBWAVE_SKINNY_NARROW;
    const int64_t lanes = narrow ? SUBWAVE_SKINNY_NARROW_LANES : wave;
    const int64_t packs =
        subwave_skinny_steps((int32_t)rows, element_size, kernel->of.skinny.shape);
    const int64_t columns = lanes * pack, steps = packs * (wave / lanes);
    kernel->item_columns = (int32_t)pack;
    return (tile){waves / along * columns, along * steps,
                  greater_of(waves * (2 * steps * rows + (down ? columns * (packs + pack) : 0)),
                             waves * lesser_of(rows, SUBWAVE_SKINNY_ROUND) * columns)};
}

static tile set_dots(int64_t wave, int64_t waves, int32_t element_size,
                     subwave_matmul_kernel *kernel)
{
    const int64_t along = kernel->of.skinny.along, pack = 16 / element_size,
                  columns = waves / along * SUBWAVE_SKINNY_DOTS;
    kernel->item_columns = SUBWAVE_SKINNY_DOTS;
    return (tile){columns, along * SUBWAVE_SKINNY_DOTS_STEPS * wave * pack, along * columns};
}

static tile set_staged(subwave_matmul_kernel *kernel)
{
    const struct staged_shape *shape = &staged_shapes[kernel->of.skinny.shape];
    kernel->of.skinny.along = 1;
    kernel->tile_rows = (int32_t)shape->rows;
    kernel->item_rows = (int32_t)shape->item_rows;
    kernel->item_columns = (int32_t)shape->item_columns;
    kernel->block_x =
        (uint32_t)(shape->rows / shape->item_rows * (shape->columns / shape->item_columns));
    return (tile){shape->columns, shape->steps,
                  shape->stages * subwave_skinny_stage((int32_t)shape->rows,
                                                       (int32_t)shape->columns,
                                                       (int32_t)shape->steps, shape->down)};
}

static const struct {
    int64_t along, steps;
    bool down;
} units[] = {
#define SUBWAVE_X(name, ...) [SUBWAVE_SKINNY_##name] = {__VA_ARGS__},
    SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
};

static bool has_unit(const subwave_capabilities *device, subwave_dtype dtype)
{
    return device->shapes->f64_unit_in_groups && dtype == SUBWAVE_DTYPE_F64 &&
           subwave_has_matrix_unit(device, dtype);
}

static bool is_of_unit(subwave_skinny_shape shape) { return shape >= SUBWAVE_SKINNY_UNIT_ACROSS; }

static bool reads_down(subwave_skinny_shape shape)
{
    return is_of_unit(shape)                 ? units[shape].down
           : subwave_skinny_is_staged(shape) ? staged_shapes[shape].down
                                             : shape == SUBWAVE_SKINNY_DOWN;
}

/* Columns that share A's elements. */
static int64_t columns_of_unit(int64_t wave)
{
    return SUBWAVE_SKINNY_UNIT_BLOCK / wave * SUBWAVE_SKINNY_UNIT_ROWS;
}

static tile set_unit(int64_t wave, subwave_matmul_kernel *kernel)
{
    const subwave_skinny_shape shape = kernel->of.skinny.shape;
    const int64_t along = units[shape].along, columns = columns_of_unit(wave) / along;
    kernel->of.skinny.along = (int32_t)along;
    kernel->block_x = SUBWAVE_SKINNY_UNIT_BLOCK;
    kernel->tile_rows = SUBWAVE_SKINNY_UNIT_ROWS;
    kernel->item_rows = units[shape].down ? 2 : 4;
    kernel->item_columns = units[shape].down ? 4 : 2;
    return (tile){columns, along * units[shape].steps * SUBWAVE_SKINNY_UNIT_DEPTH,
                  along * SUBWAVE_SKINNY_UNIT_ROWS * columns};
}

/* Whether the bounds below, which are measured on an H200, are for this device and type. */
static bool is_timed(const subwave_capabilities *device, subwave_dtype dtype)
{
    return device->shapes->skinny_staged && !device->waves_take_turns &&
           (dtype == SUBWAVE_DTYPE_F32 || dtype == SUBWAVE_DTYPE_F64);
}

/* Whether tiles as wide as what a wave reads of a row are enough for half of the device. */
static bool has_wide_tiles(const subwave_capabilities *device,
                           const subwave_matmul_product *product, int64_t pack)
{
    return 2 * ceil_divide(product->n, device->wave_size * pack) >= units_of(device);
}

/* Rows that do not exist leave the unit idle, but its time is that of B's loads. */
static subwave_skinny_shape choose_unit(const subwave_matmul_product *product, bool down,
                                        int64_t wave, int64_t blocks)
{
    const int64_t columns = columns_of_unit(wave), n = product->n,
                  squares = ceil_divide(n, SUBWAVE_SKINNY_UNIT_ROWS);
    /* Products of these numbers may exceed 64 bits. */
    const int64_t bands = greater_of(ceil_divide(product->m, SUBWAVE_SKINNY_UNIT_ROWS), 1);
    /* Of a short k waves that share it would have nothing. */
    const bool is_short = product->k <= 128 && squares >= ceil_divide(2 * blocks, bands);
    const bool many = ceil_divide(n, columns) >= ceil_divide(blocks, bands) || is_short;
    const bool is_long = n > 4 * columns && 2 * squares <= blocks &&
                         product->k >= 512 * ceil_divide(columns * blocks, n);
    if (down)
        return (is_short && product->k <= 64) ||
                       (product->k <= 512 && squares >= ceil_divide(4 * blocks, bands))
                   ? SUBWAVE_SKINNY_UNIT_DOWN_SHORT
               : many ? SUBWAVE_SKINNY_UNIT_DOWN_MANY
                      : SUBWAVE_SKINNY_UNIT_DOWN;
    return many      ? SUBWAVE_SKINNY_UNIT_ACROSS_MANY
           : is_long ? SUBWAVE_SKINNY_UNIT_ACROSS_LONG
                     : SUBWAVE_SKINNY_UNIT_ACROSS;
}

/* The staged shape that the product should have, or 0. Small tiles where wide ones would leave compute
 * units idle, and there is not so much to do that the wide ones' fewer loads are worth it. */
static subwave_skinny_shape choose_staged(const subwave_capabilities *device, subwave_dtype dtype,
                                          const subwave_matmul_product *product, bool down)
{
    const int64_t units = units_of(device), m = product->m, n = product->n, k = product->k,
                  wide = ceil_divide(n, 128);
    const double small = (double)ceil_divide(m, 32) * (double)ceil_divide(n, 32);
    const bool few = wide < (down ? units : 2 * units) && small * (double)k <= 1200.0 * units;
    if (!device->shapes->skinny_staged)
        return 0;
    if (dtype == SUBWAVE_DTYPE_F64) {
        if (m <= 16 || k > (m > 32 ? 16 : 32) || (is_timed(device, dtype) && n < 30000))
            return 0;
        return few || (is_timed(device, dtype) && m > 24 && k <= 16)
                   ? down ? SUBWAVE_SKINNY_STAGED_F64_DOWN_FEW
                          : SUBWAVE_SKINNY_STAGED_F64_ACROSS_FEW
               : down ? SUBWAVE_SKINNY_STAGED_F64_DOWN
                      : SUBWAVE_SKINNY_STAGED_F64_ACROSS;
    }
    if (dtype != SUBWAVE_DTYPE_F32)
        return 0;
    const bool timed = is_timed(device, dtype);
    /* Many of the columns of the usual tiles would be beyond C, or their lanes would each read little of
     * a long k. */
    const bool beyond = m > 64 && n > 128 && n < 1024 && 8 * round_up(n, 128) > 9 * n,
               narrow = m > 32 && n <= 64 && k >= 2048;
    if (timed && !down && (beyond || narrow))
        return SUBWAVE_SKINNY_STAGED_ACROSS_FEW;
    const bool is_ahead = m > 16 ? down || (k <= 64 && n >= 4096) ||
                                       (2 * wide >= 3 * units && m < 24) ||
                                       (wide >= 4 * units && (m <= 32 || k <= 256))
                          : down ? m >= device->shapes->skinny_staged || (timed && m > 4 && k > 16)
                                 : timed && m > 8 && k <= 64 && n >= 4096;
    if (!is_ahead)
        return 0;
    /* Where tiles of 128 columns are too few for the compute units, those of 64 may be enough; but not for 33 to
     * 48 rows, of which tiles of 32 rows would compute 64 (docs/notes.md has the times). */
    const bool halves = 2 * wide >= units;
    if (down && m <= 16 && (halves || !few))
        return SUBWAVE_SKINNY_STAGED_DOWN_16;
    if (timed && down && halves && wide < units && (m <= 32 || (!few && m > 48 && m <= 64)))
        return SUBWAVE_SKINNY_STAGED_DOWN_HALF;
    if (timed && down && wide >= 3 * units && m <= 32)
        return SUBWAVE_SKINNY_STAGED_DOWN_WIDE;
    return few       ? down ? SUBWAVE_SKINNY_STAGED_DOWN_FEW : SUBWAVE_SKINNY_STAGED_ACROSS_FEW
           : m <= 32 ? down ? SUBWAVE_SKINNY_STAGED_DOWN_32 : SUBWAVE_SKINNY_STAGED_ACROSS_32
           : m <= 48 ? down ? SUBWAVE_SKINNY_STAGED_DOWN_48 : SUBWAVE_SKINNY_STAGED_ACROSS_48
           : down    ? SUBWAVE_SKINNY_STAGED_DOWN_64
                     : SUBWAVE_SKINNY_STAGED_ACROSS_64;
}

/* The planned shape, and the rows of its tile if it may have any of 1, 4 and 16. Dot products are for
 * columns of B that are longer than a load of the wave, or few. */
static subwave_skinny_shape choose_shape(const subwave_capabilities *device, subwave_dtype dtype,
                                         const subwave_matmul_product *product, bool down,
                                         int32_t *rows)
{
    const int64_t wave = device->wave_size, pack = 16 / (int64_t)subwave_dtype_size(dtype),
                  m = product->m, k = product->k;
    const bool timed = is_timed(device, dtype), has_tiles = has_wide_tiles(device, product, pack),
               by_dots = down && m == 1 && (k > wave * pack || !has_tiles || product->n == 1);
    *rows = by_dots || (m == 1 && !down) ? 1 : m <= (timed ? 8 : 4) ? 4 : 16;
    const subwave_skinny_shape staged = choose_staged(device, dtype, product, down);
    if (staged)
        return staged;
    if (has_unit(device, dtype)) {
        const bool by_lanes = has_tiles && m <= 4 && k <= (down ? 64 : 128);
        if (m == 1 ? down && !has_tiles && k <= 128 : !by_lanes)
            return choose_unit(product, down, wave, most_blocks(device));
    }
    if (down)
        return SUBWAVE_SKINNY_DOWN;
    const bool narrow = product->n <= wave * pack / 2;
    /* Other tiles would be too few for a quarter of the device. */
    if (!narrow && timed && m <= 16 && k <= 512 &&
        4 * ceil_divide(product->n, wave * pack) < units_of(device)) {
        *rows = m == 1 ? 1 : 4;
        return SUBWAVE_SKINNY_NARROW;
    }
    return narrow ? SUBWAVE_SKINNY_NARROW : SUBWAVE_SKINNY_ACROSS;
}

/* The larger matrix is to be the right one, B; of two equal ones one that lies by rows there. */
static bool larger_is_left(const subwave_matmul_product *product)
{
    if (product->m == product->n)
        return product->b_column != 1 && product->a_row == 1;
    return product->m > product->n;
}

/* Splits k into so many parts or fewer, whose number is returned. Blocks that have whole tiles take
 * further ones if there are more than `most`. */
static int64_t set_parts(int64_t parts, int64_t tiles, int64_t most, const tile *t, int64_t k,
                         int32_t element_size, subwave_matmul_kernel *kernel)
{
    kernel->of.skinny.part = round_up(greater_of(1, ceil_divide(k, parts)), t->steps);
    kernel->parts = (int32_t)greater_of(1, ceil_divide(k, kernel->of.skinny.part));
    kernel->workspace_bytes =
        kernel->parts == 1
            ? 0
            : SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t) +
                  tiles * kernel->parts * kernel->tile_rows * t->columns * element_size;
    kernel->blocks =
        (uint32_t)lesser_of(tiles * kernel->parts, kernel->parts == 1 ? most : UINT32_MAX);
    return kernel->parts;
}

/* The tile of a kernel of this shape; of so many rows if the shape may have any of 1, 4 and 16, and
 * with so many waves sharing k if it may have any number of them. */
static tile set_tile(const subwave_capabilities *device, int32_t element_size,
                     subwave_skinny_shape shape, int32_t any_rows, int64_t any_along,
                     subwave_matmul_kernel *kernel)
{
    const int64_t wave = device->wave_size, pack = 16 / element_size,
                  items = block_of_lanes(device);
    kernel->of.skinny.shape = shape;
    kernel->of.skinny.along = (int32_t)any_along;
    kernel->item_rows = kernel->tile_rows = any_rows;
    kernel->block_x = (uint32_t)items;
    const tile t = is_of_unit(shape)                 ? set_unit(wave, kernel)
                   : subwave_skinny_is_staged(shape) ? set_staged(kernel)
                   : shape == SUBWAVE_SKINNY_DOWN && any_rows == 1
                       ? set_dots(wave, items / wave, element_size, kernel)
                       : set_lanes(wave, items / wave, element_size, kernel);
    kernel->tile_columns = (int32_t)t.columns;
    kernel->shared_bytes =
        (uint32_t)(greater_of(t.elements, kernel->block_x * pack) * element_size);
    return t;
}

/* Shows the kernel of a tile, and if all are asked for, what else k can be split into. Where there are
 * few tiles, several blocks share each. */
static void show_tile(const subwave_capabilities *device, subwave_dtype dtype,
                      const subwave_matmul_product *product, const tile *t,
                      subwave_matmul_kernel *kernel, subwave_candidates *candidates)
{
    const int32_t element_size = (int32_t)subwave_dtype_size(dtype);
    const subwave_skinny_shape shape = kernel->of.skinny.shape;
    const bool staged = subwave_skinny_is_staged(shape);
    const int64_t rows = kernel->tile_rows, pack = 16 / element_size, k = product->k;
    const int64_t tiles = subwave_count_tiles(product, rows, t->columns);
    kernel->of.skinny.tiles = (uint32_t)tiles;
    const int64_t blocks =
        staged ? most_staged(device, &staged_shapes[shape]) : most_blocks(device);
    /* that add parts up */
    const int64_t teams = greater_of(1, kernel->block_x * pack / (rows * t->columns));
    /* Blocks share k if all of their waves do. */
    const bool may_share = tiles <= SUBWAVE_SKINNY_TILES &&
                           (staged || is_of_unit(shape) ||
                            kernel->of.skinny.along == block_of_lanes(device) / device->wave_size);
    /* A part of its own costs more than it gains where half of the device has something to do. */
    const int64_t least = staged ? staged_shapes[shape].least_part
                          : is_timed(device, dtype) && 2 * tiles >= units_of(device)
                              ? greater_of(t->steps, 128)
                              : t->steps;
    /* parts whose sums the workspace holds; of more tiles the bytes might exceed 64 bits */
    const int64_t room = may_share ? (int64_t)subwave_skinny_workspace(device) /
                                         (tiles * rows * t->columns * element_size)
                                   : 1;
    const int64_t shared = may_share ? lesser_of(blocks / tiles, room) : 1,
                  most = greater_of(1, k / least), most_launched = staged ? blocks : UINT32_MAX;
    const int64_t parts =
        set_parts(lesser_of(greater_of(1, lesser_of(shared, lesser_of(128, 64 * teams))), most),
                  tiles, most_launched, t, k, element_size, kernel);
    candidates->show(candidates, kernel);
    if (!candidates->all || !may_share)
        return;
    int64_t before = 0;
    for (int64_t other = 1; other == 1 || other <= lesser_of(room, most); other *= 2) {
        const int64_t set = set_parts(other, tiles, most_launched, t, k, element_size, kernel);
        if (set != parts && set != before)
            candidates->show(candidates, kernel);
        before = set;
    }
}

/* Whether it is not the plan that says how many waves share k. */
static bool has_fixed_along(const subwave_capabilities *device, subwave_skinny_shape shape,
                            int32_t rows)
{
    return is_of_unit(shape) || subwave_skinny_is_staged(shape) ||
           (device->shapes->loads_anywhere && shape == SUBWAVE_SKINNY_DOWN &&
            rows == SUBWAVE_SKINNY_ALL_SHARE);
}

/* Where k has only a few steps for each of the waves that share it, fewer do, and others are side by
 * side, as long as there are tiles for the device. */
static tile choose_along(const subwave_capabilities *device, int32_t element_size,
                         const subwave_matmul_product *product, subwave_skinny_shape shape,
                         int32_t rows, subwave_matmul_kernel *kernel)
{
    int64_t along = block_of_lanes(device) / device->wave_size;
    tile t = set_tile(device, element_size, shape, rows, along, kernel);
    const bool is_fixed = has_fixed_along(device, shape, rows);
    while (!is_fixed && along > 1 && product->k < (device->waves_take_turns ? 1 : 4) * t.steps &&
           subwave_count_tiles(product, kernel->tile_rows, 2 * t.columns) >=
               (device->waves_take_turns ? 4 : units_of(device))) {
        along /= 2;
        t = set_tile(device, element_size, shape, rows, along, kernel);
    }
    return t;
}

void subwave_plan_skinny(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates)
{
    if (larger_is_left(product))
        subwave_transpose_product(product);
    const int32_t element_size = (int32_t)subwave_dtype_size(dtype);
    const int64_t wave = device->wave_size, pack = 16 / element_size;
    /* A pack of c64 is one element, which is read by one load wherever it lies. */
    const bool anywhere = device->shapes->loads_anywhere || pack == 1;
    const bool down = product->n == 1 || (product->b_column != 1 && (product->k > 1 || anywhere));
    const int64_t line = down ? product->b_column : product->b_row,
                  step = down ? product->b_row : product->b_column;
    kernel->packed =
        anywhere ? step == 1 : subwave_reads_together(product->b, line, step, pack, dtype);
    int32_t rows_of_lanes = 0;
    const subwave_skinny_shape planned = choose_shape(device, dtype, product, down, &rows_of_lanes);
    if (!candidates->all) {
        const tile t = choose_along(device, element_size, product, planned, rows_of_lanes, kernel);
        show_tile(device, dtype, product, &t, kernel, candidates);
        return;
    }
    for (int s = SUBWAVE_SKINNY_ACROSS; s < SUBWAVE_SKINNY_SHAPES; ++s) {
        const subwave_skinny_shape shape = (subwave_skinny_shape)s;
        const bool is_staged = subwave_skinny_is_staged(shape), of_unit = is_of_unit(shape);
        if (reads_down(shape) != down || (of_unit && !has_unit(device, dtype)) ||
            (is_staged && (!device->shapes->skinny_staged || dtype != dtype_of_stages(shape))))
            continue;
        for (int32_t rows = is_staged || of_unit ? 16 : 1; rows <= 16; rows *= 4) {
            if ((rows > 1 && !kernel->packed && anywhere) ||
                (shape == SUBWAVE_SKINNY_DOWN &&
                 !subwave_skinny_has_down(device->shapes, rows, element_size)))
                continue;
            int64_t along = block_of_lanes(device) / wave;
            const int64_t least = has_fixed_along(device, shape, rows) ? along : 1;
            for (; along >= least; along /= 2) {
                const tile t = set_tile(device, element_size, shape, rows, along, kernel);
                show_tile(device, dtype, product, &t, kernel, candidates);
            }
        }
    }
}
