/* SPDX-License-Identifier: MIT
 * plan_batched.c: which tile of C a batch of small matrix products is computed by.
 */
#include "plan.h"

#include "check.h"

/* Each family of kernels below has a function that plans a launch by one of its kernels, or returns
 * false, with the launch unchanged, where that was not compiled for the device or could not compute
 * the product; and one that says by which of them the product is expected to be fastest, whether or
 * not it can compute it. */

/* --- groups of lanes, each with a tile of C -------------------------------------------------- */

typedef struct tile {
    subwave_matmul_batched_tile name;
    int32_t use, size, lanes; /* what it is for (subwave_matmul_batched_use); of a group */
    int32_t across;
    int32_t side, items; /* of all its groups */
} tile;

static const tile tiles[] = {
#define SUBWAVE_X(name, use, size, lanes, across, ...) \
    {SUBWAVE_MATMUL_BATCHED_##name, \
     SUBWAVE_MATMUL_BATCHED_FOR_##use, \
     size, \
     lanes, \
     across, \
     (size) * ((across) > 1 ? (across) : 1), \
     (lanes) * ((across) > 1 ? (across) * (across) : 1)},
    SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
};

/* Whether the kernels of whole waves with a matrix unit are compiled. */
static bool has_unit(const subwave_capabilities *device, subwave_dtype dtype)
{
    return device->shapes->unit_in_batches &&
           subwave_has_matrix_unit(device, subwave_part_dtype(dtype));
}

/* Whether the tile is for the type, its kernel is compiled, and its groups fit into a sub-group. It
 * computes any product then. */
static bool has_groups(const subwave_capabilities *device, subwave_dtype dtype, const tile *groups)
{
    const bool complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    const bool matrix_unit = dtype == SUBWAVE_DTYPE_F64 && device->shapes->f64_unit_in_groups;
    const int32_t use = groups->use;
    const bool suits = use == SUBWAVE_MATMUL_BATCHED_FOR_ALL ||
                       (use == SUBWAVE_MATMUL_BATCHED_FOR_REAL && !complex) ||
                       (use == SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX && complex) ||
                       (use == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT && matrix_unit) ||
                       (use == SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST && !complex && !matrix_unit);
    return suits && subwave_batched_fits(device->few_registers, groups->size, groups->items) &&
           groups->lanes <= device->wave_size && (groups->side <= 16 || !has_unit(device, dtype));
}

/* Who asks for a tile: not every one is built for all. */
typedef enum caller { FOR_BATCH, FOR_STACK, FOR_GROUPED } caller;

static bool is_built_for(const subwave_capabilities *device, caller caller, const tile *groups)
{
    return caller == FOR_BATCH ? true
           : caller == FOR_STACK
               ? subwave_stacked_fits(groups->size, groups->across)
               : subwave_grouped_fits(device->wave_size, groups->size, groups->across);
}

/* The smallest that holds C, or the largest. */
static const tile *best_groups(const subwave_capabilities *device, subwave_dtype dtype,
                               const subwave_matmul_batched_launch *launch, caller caller)
{
    const int32_t widest = greater_of(launch->m, launch->n);
    const tile *best = NULL;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles && !(best && best->side >= widest); ++i)
        if (has_groups(device, dtype, &tiles[i]) && is_built_for(device, caller, &tiles[i]))
            best = &tiles[i];
    return best;
}

static bool plan_groups(const subwave_capabilities *device, subwave_dtype dtype, const tile *groups,
                        subwave_matmul_batched_launch *launch)
{
    if (!has_groups(device, dtype, groups))
        return false;
    launch->tile = groups->name;
    launch->down = (int32_t)ceil_divide(launch->m, groups->side);
    launch->across = (int32_t)ceil_divide(launch->n, groups->side);

    /* On the CPU device waves of a block take turns on one core. */
    const int32_t block =
        device->waves_take_turns ? device->wave_size : SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->block = (uint32_t)greater_of(groups->items, block);
    launch->blocks = ceil_divide(launch->batch * launch->down * launch->across,
                                 launch->block / (uint32_t)groups->items);
    return true;
}

/* --- elements of a lane ---------------------------------------------------------------------- */

/* The columns of an operand as it is stored. */
static int32_t stored_columns(const subwave_matmul_batched_operand *x, int32_t rows,
                              int32_t columns)
{
    return x->transposed ? rows : columns;
}

/* Whether the matrices of a batch lie one after another without gaps. */
static bool is_run(const subwave_matmul_batched_operand *x, int32_t rows, int32_t columns)
{
    return !x->array && x->ld == stored_columns(x, rows, columns) &&
           x->stride == (int64_t)rows * columns;
}

/* The side of a lane's elements for matrices that leave much of the groups' tile empty, by what was
 * faster on an H200; or 0. */
static int32_t best_cells(subwave_dtype dtype, const tile *groups,
                          const subwave_matmul_batched_launch *launch)
{
    const int32_t m = launch->m, n = launch->n, k = launch->k, widest = greater_of(m, n);
    const int32_t size = (int32_t)subwave_dtype_size(dtype), most = size == 4 ? 9 : 15;
    const bool full = groups->side >= widest && 10 * m * n >= 9 * groups->side * groups->side;
    const int64_t of_3 = 9 * ceil_divide(m, 3) * ceil_divide(n, 3),
                  of_4 = 16 * ceil_divide(m, 4) * ceil_divide(n, 4);
    /* Lanes find rows of a multiple of 8 elements in the same banks. */
    if (widest > most || full || groups->use == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT || k > 32 ||
        (size == 16 && (widest == 3 || widest % 3 == 1)) ||
        stored_columns(&launch->a, m, k) % 8 == 0 || stored_columns(&launch->b, k, n) % 8 == 0 ||
        n % 8 == 0)
        return 0;
    return widest <= 12 && (of_3 < of_4 || (of_3 == of_4 && size > 4)) ? 3 : 4;
}

/* A block copies runs, and has room and lanes for an entry. */
static bool plan_cells(const subwave_capabilities *device, subwave_dtype dtype, int32_t side,
                       subwave_matmul_batched_launch *launch)
{
    enum { BYTES = 16 << 10 }; /* of a block, that many are at work */
    const int32_t size = (int32_t)subwave_dtype_size(dtype), m = launch->m, n = launch->n,
                  k = launch->k;
    const int32_t wave = device->wave_size, pack = 16 / size;
    const int64_t lane_rows = ceil_divide(m, side), lane_columns = ceil_divide(n, side),
                  lanes = lane_rows * lane_columns;
    const int64_t elements = greater_of((int64_t)m * k + (int64_t)k * n, (int64_t)m * n);
    if (k == 0 || lanes > SUBWAVE_MATMUL_BATCHED_BLOCK || elements * size > BYTES ||
        !is_run(&launch->a, m, k) || !is_run(&launch->b, k, n) || !is_run(&launch->c, m, n))
        return false;
    launch->tile = side == 3 ? SUBWAVE_MATMUL_BATCHED_CELLS_3 : SUBWAVE_MATMUL_BATCHED_CELLS_4;
    launch->down = launch->across = 1;
    launch->lane_rows = (int32_t)lane_rows;
    launch->lane_columns = subwave_divisor_of((int32_t)lane_columns);
    launch->lanes = subwave_divisor_of((int32_t)lanes);

    /* On the CPU device waves of a block take turns on one core. */
    const int64_t items =
        device->waves_take_turns ? greater_of(wave, lanes) : SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->entries = (int32_t)lesser_of(items / lanes, BYTES / (elements * size));
    /* Each begins as far into 16 bytes as it does in memory; C takes the place of A and B. */
    launch->b.local_at = round_up(launch->entries * m * k, pack) + pack;
    const int32_t both = launch->b.local_at + launch->entries * k * n;
    launch->shared_bytes = (uint32_t)((greater_of(both, launch->entries * m * n) + pack) * size);
    launch->block = (uint32_t)round_up(launch->entries * lanes, wave);
    launch->blocks = ceil_divide(launch->batch, launch->entries);
    return true;
}

/* --- dense matrices on the matrix unit ------------------------------------------------------- */

typedef struct dense_tile {
    subwave_matmul_batched_tile name;
    int32_t side, items;
} dense_tile;

static const dense_tile dense_tiles[] = {
#define SUBWAVE_X(side, size, across) \
    {SUBWAVE_MATMUL_BATCHED_DENSE_##side, side, 32 * (across) * (across)},
    SUBWAVE_MATMUL_BATCHED_DENSE(SUBWAVE_X)
#undef SUBWAVE_X
};

/* In elements: where B begins in shared memory, and what an entry takes of it. As many rows and
 * columns are read as there are elements for; each may begin within 16 bytes. */
static int32_t dense_b_at(const subwave_matmul_batched_launch *launch)
{
    return round_up(launch->m * launch->k + 1, 2);
}
static int32_t dense_size(const subwave_matmul_batched_launch *launch, int32_t side)
{
    const int32_t m = launch->m, n = launch->n, k = launch->k;
    return round_up(1 + greater_of(greater_of(dense_b_at(launch) + k * n + side, side * k), m * n),
                    2);
}

/* The smallest that holds C, or null where another kernel is faster. */
static const dense_tile *best_dense(const subwave_matmul_batched_launch *launch)
{
    const int32_t k = launch->k, widest = greater_of(launch->m, launch->n);
    const dense_tile *best = dense_tiles;
    const dense_tile *const last = dense_tiles + sizeof dense_tiles / sizeof *dense_tiles - 1;
    while (best < last && best->side < widest)
        ++best;
    /* Rows of a multiple of 16 elements begin in one bank. */
    if (widest <= 16 || widest > best->side || k > 64 || k % 16 == 0)
        return NULL;
    return best->side == 64 && k % 2 == 0 && dense_size(launch, 64) * 8 > 56 << 10 ? NULL : best;
}

/* The entry's matrices are copied as they lie, each without gaps. */
static bool plan_dense(const subwave_capabilities *device, subwave_dtype dtype,
                       const dense_tile *dense, subwave_matmul_batched_launch *launch)
{
    const int32_t m = launch->m, n = launch->n, k = launch->k;
    /* Shared memory is large enough for k up to 64, where the unit has 16 rows. */
    if (dtype != SUBWAVE_DTYPE_F64 || !device->shapes->f64_unit_in_groups ||
        !device->f64_unit_of_16_rows || launch->a.transposed || launch->b.transposed ||
        launch->a.ld != k || launch->b.ld != n || launch->c.ld != n ||
        greater_of(m, n) > dense->side || k == 0 || k > 64)
        return false;
    launch->b.local_at = dense_b_at(launch);
    launch->a.local_size = dense_size(launch, dense->side);
    const int32_t teams = SUBWAVE_MATMUL_BATCHED_BLOCK / dense->items;
    int32_t bytes = teams * launch->a.local_size * 8;
    /* Copies pass through L1, except for the largest: if as many blocks as a multiprocessor has
     * room for, a KiB more each, left little of it, one fewer are at work. */
    enum { ROOM = 228 << 10, BUSY = 196 << 10, MORE = 1 << 10 };
    const int32_t blocks = ROOM / (bytes + MORE);
    if (dense->side < 64 && blocks * (bytes + MORE) > BUSY)
        bytes = round_up(ROOM / blocks - MORE + 1, 16);

    launch->tile = dense->name;
    launch->down = launch->across = 1;
    launch->block = SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->shared_bytes = (uint32_t)bytes;
    launch->blocks = ceil_divide(launch->batch, teams);
    return true;
}

/* --- whole waves with a matrix unit ---------------------------------------------------------- */

/* Of few rows and columns, most of the unit's tile would be empty. */
static bool unit_is_best(const subwave_matmul_batched_launch *launch)
{
    return greater_of(launch->m, launch->n) > 16;
}

static bool plan_unit(const subwave_capabilities *device, subwave_dtype dtype,
                      subwave_matmul_batched_launch *launch)
{
    enum { SIDE = SUBWAVE_MATMUL_BATCHED_UNIT_SIDE };
    if (!has_unit(device, dtype))
        return false;
    launch->tile = SUBWAVE_MATMUL_BATCHED_UNIT;
    launch->down = (int32_t)ceil_divide(launch->m, SIDE);
    launch->across = (int32_t)ceil_divide(launch->n, SIDE);
    launch->block = SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->blocks = ceil_divide(launch->batch * launch->down * launch->across,
                                 SUBWAVE_MATMUL_BATCHED_BLOCK / device->wave_size);
    return true;
}

/* --- which ----------------------------------------------------------------------------------- */

void subwave_plan_matmul_batched(const subwave_capabilities *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch)
{
    launch->first_block = 0;
    const dense_tile *const dense = best_dense(launch);
    if (dense && plan_dense(device, dtype, dense, launch))
        return;
    if (unit_is_best(launch) && plan_unit(device, dtype, launch))
        return;
    const tile *const groups = best_groups(device, dtype, launch, FOR_BATCH);
    const int32_t side = best_cells(dtype, groups, launch);
    if (side == 0 || !plan_cells(device, dtype, side, launch))
        plan_groups(device, dtype, groups, launch);
}

void subwave_plan_matmul_stacked(const subwave_capabilities *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch)
{
    if (!unit_is_best(launch) || !plan_unit(device, dtype, launch))
        plan_groups(device, dtype, best_groups(device, dtype, launch, FOR_STACK), launch);
    /* How many lists there are the host does not know: as many blocks as a device has room for go
     * over them. */
    enum { ROOM = 16 };
    const int64_t room = ROOM * (int64_t)device->compute_units;
    launch->blocks = lesser_of(launch->blocks, lesser_of(room, SUBWAVE_MOST_BATCHED_BLOCKS));
}

int32_t subwave_plan_matmul_grouped(const subwave_capabilities *device, subwave_dtype dtype,
                                    const subwave_matmul_batched_launch *problem,
                                    subwave_matmul_batched_launch *launches, int32_t *sides)
{
    /* As many blocks as a device has room for share the work, which only it knows, equally. Threads
     * of the CPU device have one each, since blocks without work take time there. */
    enum { ROOM = 16 };
    static const int32_t wanted[SUBWAVE_GROUPED_CLASSES] = {8, 16, 32, 64};
    const int64_t room = (device->waves_take_turns ? 1 : ROOM) * (int64_t)device->compute_units;
    int32_t classes = 0;
    for (int c = 0; c < SUBWAVE_GROUPED_CLASSES; ++c) {
        subwave_matmul_batched_launch launch = *problem;
        launch.m = launch.n = wanted[c];
        launch.batch = 1;
        int32_t side = SUBWAVE_MATMUL_BATCHED_UNIT_SIDE;
        if (!unit_is_best(&launch) || !plan_unit(device, dtype, &launch)) {
            const tile *const groups = best_groups(device, dtype, &launch, FOR_GROUPED);
            side = groups->side;
            plan_groups(device, dtype, groups, &launch);
        }
        launch.blocks = lesser_of(room, SUBWAVE_MOST_BATCHED_BLOCKS);
        if (classes > 0 && sides[classes - 1] == side) /* the largest there is */
            break;
        launches[classes] = launch;
        sides[classes++] = side;
    }
    return classes;
}

void subwave_plan_batched_candidates(const subwave_capabilities *device, subwave_dtype dtype,
                                     const subwave_matmul_batched_launch *problem,
                                     subwave_batched_candidates *candidates)
{
    subwave_matmul_batched_launch asked = *problem;
    asked.first_block = 0;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; ++i) {
        subwave_matmul_batched_launch launch = asked;
        if (plan_groups(device, dtype, &tiles[i], &launch))
            candidates->show(candidates, &launch, tiles[i].side);
    }
    for (int32_t side = 3; side <= 4; ++side) {
        subwave_matmul_batched_launch launch = asked;
        if (plan_cells(device, dtype, side, &launch))
            candidates->show(candidates, &launch, side);
    }
    subwave_matmul_batched_launch by_unit = asked;
    if (plan_unit(device, dtype, &by_unit))
        candidates->show(candidates, &by_unit, SUBWAVE_MATMUL_BATCHED_UNIT_SIDE);
    for (size_t i = 0; i < sizeof dense_tiles / sizeof *dense_tiles; ++i) {
        subwave_matmul_batched_launch launch = asked;
        if (plan_dense(device, dtype, &dense_tiles[i], &launch))
            candidates->show(candidates, &launch, dense_tiles[i].side);
    }
}
