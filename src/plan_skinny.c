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
    int64_t rows, columns, item_rows, item_columns, steps, stages;
    bool down;
    int64_t blocks, least_part;
} staged_shapes[] = {
#define SUBWAVE_X(name, ...) [SUBWAVE_SKINNY_##name] = {__VA_ARGS__},
    SUBWAVE_SKINNY_STAGES(SUBWAVE_X)
#undef SUBWAVE_X
};

/* The same of those that copy B to shared memory. */
static int64_t most_staged(const subwave_capabilities *device, const struct staged_shape *shape)
{
    return (device->waves_take_turns ? 2 : shape->blocks) * units_of(device);
}

size_t subwave_skinny_workspace(const subwave_capabilities *device)
{
    /* bytes of the largest tile */
    int64_t bytes = most_blocks(device) * 16 * (int64_t)device->wave_size * 16;
    for (size_t s = 0; s < sizeof staged_shapes / sizeof *staged_shapes; ++s)
        if (device->shapes->skinny_staged)
            bytes =
                greater_of(bytes, most_staged(device, &staged_shapes[s]) * staged_shapes[s].rows *
                                      staged_shapes[s].columns * (int64_t)sizeof(float));
    return (size_t)bytes;
}

/* A tile's columns, the steps of k that a block takes at a time, and elements of shared memory. */
typedef struct tile {
    int64_t columns, steps, elements;
} tile;

static tile set_lanes(int64_t wave, int64_t waves, int32_t element_size,
                      subwave_matmul_kernel *kernel)
{
    const int64_t rows = kernel->tile_rows, pack = 16 / element_size;
    const bool down = kernel->of.skinny.shape == SUBWAVE_SKINNY_DOWN,
               narrow = kernel->of.skinny.shape == SUBWAVE_SKINNY_NARROW;
    const int64_t lanes = narrow ? SUBWAVE_SKINNY_NARROW_LANES : wave;
    const int64_t packs =
        subwave_skinny_steps((int32_t)rows, element_size, kernel->of.skinny.shape);
    const int64_t columns = lanes * pack, steps = packs * (wave / lanes);
    kernel->item_columns = (int32_t)pack;
    return (tile){columns, waves * steps,
                  waves * greater_of(2 * steps * rows + (down ? columns * (packs + pack) : 0),
                                     lesser_of(rows, SUBWAVE_SKINNY_ROUND) * columns)};
}

static tile set_dots(int64_t wave, int64_t waves, int32_t element_size,
                     subwave_matmul_kernel *kernel)
{
    kernel->item_columns = SUBWAVE_SKINNY_DOTS;
    return (tile){SUBWAVE_SKINNY_DOTS,
                  waves * SUBWAVE_SKINNY_DOTS_STEPS * wave * (16 / element_size),
                  waves * SUBWAVE_SKINNY_DOTS};
}

static tile set_staged(subwave_matmul_kernel *kernel)
{
    const struct staged_shape *shape = &staged_shapes[kernel->of.skinny.shape];
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
#define SUBWAVE_X(name, along, steps, down) [SUBWAVE_SKINNY_##name] = {along, steps, down},
    SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
};

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
    const int64_t along = units[shape].along, columns = columns_of_unit(wave);
    kernel->item_rows = units[shape].down ? 2 : 4;
    kernel->item_columns = units[shape].down ? 4 : 2;
    return (tile){columns / along, along * units[shape].steps * SUBWAVE_SKINNY_UNIT_DEPTH,
                  SUBWAVE_SKINNY_UNIT_ROWS * columns};
}

/* Rows that do not exist leave the unit idle, but its time is that of B's loads. The bounds are
 * measured on an H200, the only device of those with this unit that was at hand. */
static subwave_skinny_shape choose_unit(const subwave_matmul_product *product, bool down,
                                        int64_t wave, int64_t blocks)
{
    const int64_t columns = columns_of_unit(wave), n = product->n;
    /* Products of these numbers may exceed 64 bits. */
    const int64_t bands = greater_of(ceil_divide(product->m, SUBWAVE_SKINNY_UNIT_ROWS), 1);
    /* Of a short k waves that share it would have nothing. */
    const bool is_short = product->k <= 64 && ceil_divide(n, SUBWAVE_SKINNY_UNIT_ROWS) >=
                                                  ceil_divide(2 * blocks, bands);
    const bool many = ceil_divide(n, columns) >= ceil_divide(blocks, bands) || is_short;
    const bool is_long = n > 4 * columns &&
                         2 * ceil_divide(n, SUBWAVE_SKINNY_UNIT_ROWS) <= blocks &&
                         product->k >= 512 * ceil_divide(columns * blocks, n);
    return down      ? many ? SUBWAVE_SKINNY_UNIT_DOWN_MANY : SUBWAVE_SKINNY_UNIT_DOWN
           : many    ? SUBWAVE_SKINNY_UNIT_ACROSS_MANY
           : is_long ? SUBWAVE_SKINNY_UNIT_ACROSS_LONG
                     : SUBWAVE_SKINNY_UNIT_ACROSS;
}

/* Small tiles where wide ones would leave compute units idle, and there is not so much to do that the
 * wide ones' fewer loads are worth it. 0 stands for the tiles of 16 rows, which are ahead within some
 * bounds if B is read by rows. Measured on an H200. */
static subwave_skinny_shape choose_staged(const subwave_capabilities *device,
                                          const subwave_matmul_product *product, bool down)
{
    const int64_t units = units_of(device), m = product->m, n = product->n, k = product->k,
                  wide = ceil_divide(n, 128);
    const double small = (double)ceil_divide(m, 32) * (double)ceil_divide(n, 32);
    const bool few = wide < (down ? units : 2 * units) && small * (double)k <= 1200.0 * units;
    if (m <= 16 || !(down || (k <= 64 && n >= 4096) || (2 * wide >= 3 * units && m < 24) ||
                     (wide >= 4 * units && (m <= 32 || k <= 256))))
        return 0;
    return few       ? down ? SUBWAVE_SKINNY_STAGED_DOWN_FEW : SUBWAVE_SKINNY_STAGED_ACROSS_FEW
           : m <= 32 ? down ? SUBWAVE_SKINNY_STAGED_DOWN_32 : SUBWAVE_SKINNY_STAGED_ACROSS_32
           : m <= 48 ? down ? SUBWAVE_SKINNY_STAGED_DOWN_48 : SUBWAVE_SKINNY_STAGED_ACROSS_48
           : down    ? SUBWAVE_SKINNY_STAGED_DOWN_64
                     : SUBWAVE_SKINNY_STAGED_ACROSS_64;
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

/* Shows the kernel of a shape, and of as many rows if it may have any of 1, 4 and 16, and if all
 * are asked for, what else k can be split into. Where there are few tiles, several blocks share
 * each. */
static void show_shape(const subwave_capabilities *device, subwave_dtype dtype,
                       const subwave_matmul_product *product, subwave_skinny_shape shape,
                       int32_t any_rows, subwave_matmul_kernel *kernel,
                       subwave_candidates *candidates)
{
    const int32_t element_size = (int32_t)subwave_dtype_size(dtype);
    const int64_t wave = device->wave_size, pack = 16 / element_size, k = product->k;
    const bool staged = subwave_skinny_is_staged(shape);
    const int32_t rows = is_of_unit(shape) ? SUBWAVE_SKINNY_UNIT_ROWS
                         : staged          ? (int32_t)staged_shapes[shape].rows
                                           : any_rows;
    kernel->of.skinny.shape = shape;
    kernel->item_rows = kernel->tile_rows = rows;
    kernel->block_x = is_of_unit(shape)          ? SUBWAVE_SKINNY_UNIT_BLOCK
                      : device->waves_take_turns ? (uint32_t)(SUBWAVE_SKINNY_CPU_WAVES * wave)
                                                 : SUBWAVE_SKINNY_BLOCK;
    const int64_t waves = kernel->block_x / wave;
    const tile t = is_of_unit(shape) ? set_unit(wave, kernel)
                   : staged          ? set_staged(kernel)
                   : shape == SUBWAVE_SKINNY_DOWN && rows == 1
                       ? set_dots(wave, waves, element_size, kernel)
                       : set_lanes(wave, waves, element_size, kernel);
    kernel->tile_columns = (int32_t)t.columns;
    kernel->shared_bytes =
        (uint32_t)(greater_of(t.elements, kernel->block_x * pack) * element_size);

    const int64_t tiles = subwave_count_tiles(product, rows, t.columns);
    kernel->of.skinny.tiles = (uint32_t)tiles;
    const int64_t blocks =
        staged ? most_staged(device, &staged_shapes[shape]) : most_blocks(device);
    /* that add parts up */
    const int64_t teams = greater_of(1, kernel->block_x * pack / (rows * t.columns));
    const int64_t shared = tiles <= SUBWAVE_SKINNY_TILES ? blocks / tiles : 1,
                  most = greater_of(1, k / (staged ? staged_shapes[shape].least_part : t.steps)),
                  most_launched = staged ? blocks : UINT32_MAX;
    const int64_t parts =
        set_parts(lesser_of(greater_of(1, lesser_of(shared, lesser_of(128, 64 * teams))), most),
                  tiles, most_launched, &t, k, element_size, kernel);
    candidates->show(candidates, kernel);
    if (!candidates->all || tiles > SUBWAVE_SKINNY_TILES)
        return;
    const int64_t room =
        (int64_t)subwave_skinny_workspace(device) / (tiles * rows * t.columns * element_size);
    int64_t before = 0;
    for (int64_t other = 1; other == 1 || other <= lesser_of(room, most); other *= 2) {
        const int64_t set = set_parts(other, tiles, most_launched, &t, k, element_size, kernel);
        if (set != parts && set != before)
            candidates->show(candidates, kernel);
        before = set;
    }
}

void subwave_plan_skinny(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates)
{
    if (larger_is_left(product))
        subwave_transpose_product(product);
    const int64_t wave = device->wave_size, pack = 16 / (int64_t)subwave_dtype_size(dtype);
    /* A pack of c64 is one element, which is read by one load wherever it lies. */
    const bool anywhere = device->shapes->loads_anywhere || pack == 1;
    const bool down = product->n == 1 || (product->b_column != 1 && (product->k > 1 || anywhere));
    const bool has_unit = device->shapes->f64_unit_in_groups && dtype == SUBWAVE_DTYPE_F64 &&
                          subwave_has_matrix_unit(device, dtype);
    const int64_t line = down ? product->b_column : product->b_row,
                  step = down ? product->b_row : product->b_column;
    kernel->packed =
        anywhere ? step == 1 : subwave_reads_together(product->b, line, step, pack, dtype);
    const bool has_staged = device->shapes->skinny_staged && dtype == SUBWAVE_DTYPE_F32;
    const subwave_skinny_shape staged = has_staged ? choose_staged(device, product, down) : 0;
    const subwave_skinny_shape planned = has_unit && product->m > 1
                                             ? choose_unit(product, down, wave, most_blocks(device))
                                         : staged                        ? staged
                                         : down                          ? SUBWAVE_SKINNY_DOWN
                                         : product->n <= wave * pack / 2 ? SUBWAVE_SKINNY_NARROW
                                                                         : SUBWAVE_SKINNY_ACROSS;
    const int32_t planned_rows = product->m == 1 ? 1 : product->m <= 4 ? 4 : 16;
    if (!candidates->all) {
        show_shape(device, dtype, product, planned, planned_rows, kernel, candidates);
        return;
    }
    for (int s = SUBWAVE_SKINNY_ACROSS; s < SUBWAVE_SKINNY_SHAPES; ++s) {
        const subwave_skinny_shape shape = (subwave_skinny_shape)s;
        const bool is_staged = subwave_skinny_is_staged(shape), of_unit = is_of_unit(shape);
        if (reads_down(shape) != down || (is_staged && !has_staged) || (of_unit && !has_unit))
            continue;
        for (int32_t rows = is_staged || of_unit ? 16 : 1; rows <= 16; rows *= 4)
            if (rows == 1 || kernel->packed || !anywhere)
                show_shape(device, dtype, product, shape, rows, kernel, candidates);
    }
}
