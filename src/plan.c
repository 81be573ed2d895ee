/* SPDX-License-Identifier: MIT
 * plan.c: launch shapes as pure arithmetic on the problem and the device.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* A block's tile, and with it the grid. Kernels walk over tiles by the grid's size, so a grid may be
 * smaller than the work. */
static void set_tile(subwave_matmul_launch *launch, int64_t rows, int64_t columns)
{
    const int64_t most = 0x7fffffff;
    const int64_t down = ceil_divide(launch->m, rows), across = ceil_divide(launch->n, columns);
    launch->tile_rows = (int32_t)rows;
    launch->tile_columns = (int32_t)columns;
    launch->blocks = (uint32_t)(down > most / across ? most : down * across);
}

bool subwave_plan_reads_together(const void *matrix, int64_t row, int64_t column, int64_t elements,
                                 subwave_dtype dtype)
{
    const int64_t bytes = elements * (int64_t)subwave_dtype_size(dtype);
    return column == 1 && row % elements == 0 && (uintptr_t)matrix % (uintptr_t)bytes == 0;
}

/* The sub-groups' tiles of C, or a number as good as any larger. */
static int64_t count_tiles(const subwave_matmul_launch *launch, int64_t rows, int64_t columns)
{
    const int64_t many = (int64_t)1 << 30;
    const int64_t down = ceil_divide(launch->m, rows), across = ceil_divide(launch->n, columns);
    return down > many || across > many ? many : down * across;
}

static int64_t round_up(int64_t x, int64_t step) { return ceil_divide(x, step) * step; }

/* One sub-group a block: on the CPU device those of a block would take turns. */
static void plan_broadcast_cpu(int64_t wave, subwave_dtype dtype, subwave_matmul_launch *launch)
{
    const bool wide = dtype == SUBWAVE_DTYPE_F32 && round_up(launch->n, 8 * wave) == round_up(launch->n, 4 * wave);
    launch->item_rows = 4;
    launch->item_columns = wide ? 8 : 4;
    launch->packed = launch->b_column == 1;
    launch->block_x = (uint32_t)wave;
    set_tile(launch, launch->item_rows, launch->item_columns * wave);
}

/* BROADCAST on a GPU: `groups` sub-groups of a block with tiles one below the other, for each of `parts`
 * parts of k. */
typedef struct broadcast_shape {
    int32_t rows, columns; /* of a work-item */
    int64_t groups, parts;
} broadcast_shape;

static void set_broadcast(const subwave_device_properties *device, subwave_dtype dtype,
                          broadcast_shape shape, subwave_matmul_launch *launch)
{
    const int64_t wave = device->sub_group_sizes[0];
    const int64_t width = is_nvidia(device) ? 16 : wave; /* wave_team_size() */
    const int64_t sum_size = dtype == SUBWAVE_DTYPE_F64 ? 8 : 4;
    const int64_t pack = 16 / (int64_t)subwave_dtype_size(dtype);
    launch->item_rows = shape.rows;
    launch->item_columns = shape.columns;
    launch->packed = subwave_plan_reads_together(launch->b, launch->b_row, launch->b_column,
                                                 pack < shape.columns ? pack : shape.columns, dtype);
    launch->block_x = (uint32_t)(shape.groups * wave);
    launch->block_y = (uint32_t)shape.parts;
    launch->shared_bytes =
        (uint32_t)(shape.parts / 2 * shape.groups * shape.rows * shape.columns * wave * sum_size);
    set_tile(launch, shape.groups * shape.rows * (wave / width), shape.columns * width);
}

/* Large tiles of C in registers save loads of B and broadcasts of A. AMD's have no room for parts. */
static void plan_broadcast_amd(const subwave_device_properties *device, subwave_dtype dtype,
                               subwave_matmul_launch *launch)
{
    const int64_t wave = device->sub_group_sizes[0], units = device->compute_units;
    broadcast_shape shape = {8, 8, 1, 1};
    int64_t tiles = count_tiles(launch, shape.rows, shape.columns * wave);
    if (tiles < 4 * units) {
        shape.rows = shape.columns = 4;
        tiles = count_tiles(launch, shape.rows, shape.columns * wave);
    }
    /* Sub-groups with the same part of k share rows of B in the cache. */
    shape.groups = tiles < 4 * units ? 1 : 4;
    set_broadcast(device, dtype, shape, launch);
}

/* What a product takes in this shape, to compare: its rounds of blocks, of which a multiprocessor holds two,
 * or one of eight sub-groups. A round takes as long as 48 terms beside its own; in a block of a single part
 * all wait for the same rows of B, and parts must be added: as an H200 does in f32 (docs/results.md). */
static double broadcast_time(const subwave_device_properties *device, const broadcast_shape *shape,
                             double rate, const subwave_matmul_launch *launch)
{
    const double blocks = (double)ceil_divide(launch->m, launch->tile_rows) *
                          (double)ceil_divide(launch->n, launch->tile_columns);
    const int64_t held = (shape->groups * shape->parts > 4 ? 1 : 2) * (int64_t)device->compute_units;
    const double rounds =
        blocks < 1e9 ? (double)ceil_divide((int64_t)blocks, held) : blocks / (double)held;
    const double terms = (double)launch->k / (double)shape->parts + 48;
    const double parts = shape->parts == 1 ? 1.05 : 1 + 0.01 * (double)shape->parts;
    return rounds * terms * shape->rows * shape->columns / rate * parts;
}

static void plan_broadcast_nvidia(const subwave_device_properties *device, subwave_dtype dtype,
                                  subwave_matmul_launch *launch)
{
    static const struct {
        int32_t rows, columns;
        double rate;
    } tiles[] = {{12, 8, 46}, {8, 8, 42}, {4, 4, 14}};
    const int64_t least_terms = 32;
    broadcast_shape best = {0, 0, 0, 0};
    double least = 0;
    for (int t = dtype == SUBWAVE_DTYPE_F32 ? 0 : 1; t < 3; ++t)
        for (int64_t parts = 1; parts <= 8; parts *= 2) {
            const broadcast_shape shape = {tiles[t].rows, tiles[t].columns, parts < 4 ? 4 / parts : 1,
                                           parts};
            set_broadcast(device, dtype, shape, launch);
            if ((parts > 1 && launch->k < parts * least_terms) || launch->shared_bytes > 64 * 1024)
                break;
            const double time = broadcast_time(device, &shape, tiles[t].rate, launch);
            if (best.parts == 0 || time < least) {
                least = time;
                best = shape;
            }
        }
    set_broadcast(device, dtype, best, launch);
}

static void plan_broadcast(const subwave_device_properties *device, subwave_dtype dtype,
                           subwave_matmul_launch *launch)
{
    if (is_cpu(device))
        plan_broadcast_cpu(device->sub_group_sizes[0], dtype, launch);
    else if (is_nvidia(device))
        plan_broadcast_nvidia(device, dtype, launch);
    else
        plan_broadcast_amd(device, dtype, launch);
}

/* Whether eight 16-bit neighbours along either dimension of a matrix are an aligned access. */
static bool reads_eight(const void *matrix, int64_t row, int64_t column)
{
    return subwave_plan_reads_together(matrix, row, column, 8, SUBWAVE_DTYPE_F16) ||
           subwave_plan_reads_together(matrix, column, row, 8, SUBWAVE_DTYPE_F16);
}

static bool has_16_bits(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_F16 || dtype == SUBWAVE_DTYPE_BF16;
}

/* The constants are those of the device's matrix16_unit and of matrix16_tile. */
static void plan_matrix16(const subwave_device_properties *device, subwave_matmul_launch *launch)
{
    const bool cpu = is_cpu(device), nvidia = is_nvidia(device);
    const int64_t wave = device->sub_group_sizes[0];
    const int64_t wide = !cpu && !nvidia && wave == 32 ? 2 : 4;        /* tiles of the unit */
    const int64_t down = cpu ? 1 : 2, across = cpu ? 1 : 8 / wide; /* sub-groups */
    const int64_t rows = down * 4 * (cpu ? 4 : 16), columns = across * wide * (cpu ? wave : 16);
    const int64_t stage = cpu ? 8 : 32, slots = nvidia ? 4 : 2;
    launch->packed = reads_eight(launch->a, launch->a_row, launch->a_column) &&
                     reads_eight(launch->b, launch->b_row, launch->b_column);
    launch->block_x = (uint32_t)(down * across * wave);
    set_tile(launch, rows, columns);
    launch->item_rows = 4 * (nvidia ? 2 : !cpu && wave == 32 ? 8 : 4);
    launch->item_columns = (int32_t)(rows * columns / launch->block_x) / launch->item_rows;
    launch->shared_bytes = (uint32_t)(slots * stage * (rows + columns) * 2);
}

/* A block of MATRIX computes `rows` x `waves` sub-group sizes of C, a work-item of it item_rows x
 * item_columns. The constants are those of the device's matrix_unit and shapes. */
typedef struct matrix_shape {
    int32_t sub_groups, rows, waves, item_rows, item_columns;
} matrix_shape;

static void set_matrix_shape(matrix_shape shape, int32_t wave, subwave_matmul_launch *launch)
{
    launch->item_rows = shape.item_rows;
    launch->item_columns = shape.item_columns;
    launch->block_x = (uint32_t)(shape.sub_groups * wave);
    set_tile(launch, shape.rows, shape.waves * wave);
}

static void plan_matrix(const subwave_device_properties *device, subwave_dtype dtype,
                        subwave_matmul_launch *launch)
{
    if (has_16_bits(dtype)) {
        plan_matrix16(device, launch);
        return;
    }
    static const matrix_shape shapes[3][2] = {{{1, 16, 4, 16, 4}, {1, 8, 2, 8, 2}},
                                              {{8, 64, 4, 4, 8}, {4, 32, 2, 2, 8}},
                                              {{4, 128, 2, 16, 4}, {4, 64, 1, 8, 2}}};
    const bool nvidia = is_nvidia(device);
    const matrix_shape *const shape = shapes[is_cpu(device) ? 0 : nvidia ? 1 : 2];
    const int32_t wave = device->sub_group_sizes[0];
    /* The unit's pairs are along the rows of A and C and along the columns of B: as they are in memory, if
     * the product is turned; or as it is, if both operands are transposed. */
    if (launch->a_row != 1 || launch->b_row != 1)
        subwave_plan_turn(launch);
    /* Rounds of blocks: small ones compute a quarter each, in three tenths of the time (H200). */
    set_matrix_shape(shape[0], wave, launch);
    const int64_t large = ceil_divide(launch->blocks, device->compute_units);
    set_matrix_shape(shape[1], wave, launch);
    launch->small = 3 * ceil_divide(launch->blocks, device->compute_units) < 10 * large;
    if (!launch->small)
        set_matrix_shape(shape[0], wave, launch);
    const int64_t staged = nvidia ? 4 * 16 : 2 * 8; /* k in local memory */
    launch->shared_bytes = (uint32_t)(staged * (launch->tile_rows + launch->tile_columns) *
                                      (int64_t)subwave_dtype_size(dtype));
}

bool subwave_plan_has_matrix(const subwave_device_properties *device, subwave_dtype dtype)
{
    const bool f64 = dtype == SUBWAVE_DTYPE_F64, f32 = dtype == SUBWAVE_DTYPE_F32;
    if (!f64 && !f32 && !has_16_bits(dtype))
        return false;
    if (is_cpu(device))
        return true;
    if (is_nvidia(device)) /* f32 would lose bits */
        return !f32 && strncmp(device->architecture, "sm_", 3) == 0 &&
               atoi(device->architecture + 3) >= 80;
    static const char *const units[] = {"gfx90a", "gfx942", "gfx950", "gfx908", "gfx11", "gfx12"};
    const size_t count = f64 ? 3 : f32 ? 4 : 6; /* the first ones */
    for (size_t i = 0; i < count; ++i)
        if (strncmp(device->architecture, units[i], strlen(units[i])) == 0)
            return true;
    return false;
}

/* The CPU device computes the cells beyond C too, so that BROADCAST's wide tiles are for wide matrices. Times are
 * nanoseconds of an x86 core: of a product and sum in either kernel, and to start a work-item. */
static subwave_variant choose_on_cpu(int64_t wave, subwave_dtype dtype, const subwave_matmul_launch *launch)
{
    const int64_t least = launch->m < launch->n ? launch->m : launch->n;
    /* SKINNY where the large matrix is read along k, and each work-item of a sub-group has some terms of it. */
    const bool along_k = (launch->m <= launch->n ? launch->b_row : launch->a_column) == 1;
    if (subwave_plan_has_skinny(dtype) && along_k && (least <= 2 || (least <= 16 && launch->k >= 4 * wave)))
        return SUBWAVE_VARIANT_SKINNY;
    const bool f64 = dtype == SUBWAVE_DTYPE_F64;
    const double in_broadcast = f64 ? 0.5 : 0.3, to_start_broadcast = 100, in_naive = f64 ? 1.4 : 1.1, to_start_naive = 13;
    subwave_matmul_launch tiled = *launch;
    plan_broadcast_cpu(wave, dtype, &tiled);
    const double rows = (double)round_up(launch->m, tiled.tile_rows), k = (double)launch->k;
    const double columns = (double)round_up(launch->n, tiled.tile_columns);
    const double broadcast = rows * columns / (4 * tiled.item_columns) * to_start_broadcast + rows * columns * k * in_broadcast;
    const double naive = (double)round_up(launch->m, 16) * (double)round_up(launch->n, 16) * to_start_naive +
                         (double)launch->m * (double)launch->n * k * in_naive;
    return naive < broadcast ? SUBWAVE_VARIANT_NAIVE : SUBWAVE_VARIANT_BROADCAST;
}

/* MATRIX has the larger blocks: where they would leave most of a GPU idle, BROADCAST may be ahead. On an
 * H200 MATRIX is, by 3 to 11 times. */
static subwave_variant choose(const subwave_device_properties *device, subwave_dtype dtype,
                              const subwave_matmul_launch *launch)
{
    if (is_cpu(device))
        return choose_on_cpu(device->sub_group_sizes[0], dtype, launch);
    const int64_t least = launch->m < launch->n ? launch->m : launch->n;
    if (subwave_plan_has_skinny(dtype) && least <= 16)
        return SUBWAVE_VARIANT_SKINNY;
    if (!subwave_plan_has_matrix(device, dtype))
        return SUBWAVE_VARIANT_BROADCAST;
    if (is_nvidia(device))
        return SUBWAVE_VARIANT_MATRIX;
    subwave_matmul_launch matrix = *launch;
    plan_matrix(device, dtype, &matrix);
    return 4 * (int64_t)matrix.blocks < device->compute_units ? SUBWAVE_VARIANT_BROADCAST
                                                              : SUBWAVE_VARIANT_MATRIX;
}

void subwave_plan_turn(subwave_matmul_launch *launch)
{
    const subwave_matmul_launch was = *launch;
    launch->turned = !was.turned;
    launch->m = was.n;
    launch->n = was.m;
    launch->a = was.b;
    launch->b = was.a;
    launch->a_row = was.b_column;
    launch->a_column = was.b_row;
    launch->b_row = was.a_column;
    launch->b_column = was.a_row;
    launch->c_row = was.c_column;
    launch->c_column = was.c_row;
}

void subwave_plan_matmul(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_launch *launch)
{
    const uint32_t wave = (uint32_t)device->sub_group_sizes[0];

    launch->variant = variant;
    if (variant == SUBWAVE_VARIANT_AUTO)
        launch->variant = choose(device, dtype, launch);
    launch->item_rows = launch->item_columns = launch->parts = 1;
    launch->packed = 0;
    launch->block_y = 1;
    launch->shared_bytes = 0;
    switch (launch->variant) {
    case SUBWAVE_VARIANT_NAIVE:
        launch->block_x = launch->block_y = 16;
        set_tile(launch, 16, 16);
        return;
    case SUBWAVE_VARIANT_LOCAL:
        launch->block_x = 64;
        set_tile(launch, 1, 64);
        launch->shared_bytes = (uint32_t)(64 * subwave_dtype_size(dtype));
        return;
    case SUBWAVE_VARIANT_TUTORIAL:
        launch->block_x = is_cpu(device) ? wave : 256;
        set_tile(launch, launch->block_x / wave, wave);
        return;
    case SUBWAVE_VARIANT_MATRIX:
        plan_matrix(device, dtype, launch);
        return;
    case SUBWAVE_VARIANT_SKINNY:
        /* The larger matrix to the right; of two small ones the one that lies by rows. */
        if (launch->m > launch->n ||
            (launch->n <= 16 && launch->b_column != 1 && launch->a_row == 1 && launch->m > 1))
            subwave_plan_turn(launch);
        subwave_plan_skinny(device, dtype, launch);
        return;
    default:
        plan_broadcast(device, dtype, launch);
        return;
    }
}
