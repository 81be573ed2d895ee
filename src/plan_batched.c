/* SPDX-License-Identifier: MIT
 * plan_batched.c: which tile of C a batch of small matrix products is computed by.
 */
#include "plan.h"

#include "check.h"

typedef struct tile {
    subwave_matmul_batched_tile name;
    int32_t use, size, lanes; /* what it is for (subwave_matmul_batched_use); of a group */
    int32_t side, items;      /* of all its groups */
} tile;

static const tile tiles[] = {
#define SUBWAVE_X(name, use, size, lanes, across, ...) \
    {SUBWAVE_MATMUL_BATCHED_##name, \
     SUBWAVE_MATMUL_BATCHED_FOR_##use, \
     size, \
     lanes, \
     (size) * ((across) > 1 ? (across) : 1), \
     (lanes) * ((across) > 1 ? (across) * (across) : 1)},
    SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
};

/* --- elements of a lane ---------------------------------------------------------------------- */

static subwave_divisor divisor(int32_t number)
{
    return (subwave_divisor){(uint32_t)number, (1u << 20) / (uint32_t)number + 1};
}

/* Whether the matrices of a batch lie one after another without gaps, in rows that lanes find in
 * different banks. */
static bool is_run(const subwave_matmul_batched_operand *x, int32_t rows, int32_t columns)
{
    const int32_t stored_rows = x->transposed ? columns : rows,
                  stored_columns = x->transposed ? rows : columns;
    return !x->array && x->ld == stored_columns &&
           x->stride == (int64_t)stored_rows * stored_columns && stored_columns % 8 != 0;
}

/* The side of a lane's elements for matrices that leave much of a group's tile empty, by what was
 * faster on an H200; or 0. */
static int32_t cells_side(const subwave_matmul_batched_launch *launch, subwave_dtype dtype,
                          const tile *group)
{
    const int32_t m = launch->m, n = launch->n, k = launch->k, widest = greater_of(m, n);
    const int32_t size = (int32_t)subwave_dtype_size(dtype), most = size == 4 ? 9 : 15;
    const bool full = group->side >= widest && 10 * m * n >= 9 * group->side * group->side;
    const int64_t of_3 = 9 * ceil_divide(m, 3) * ceil_divide(n, 3),
                  of_4 = 16 * ceil_divide(m, 4) * ceil_divide(n, 4);
    if (widest > most || full || group->use == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT || k == 0 ||
        k > 32 || (size == 16 && (widest == 3 || widest % 3 == 1)) || !is_run(&launch->a, m, k) ||
        !is_run(&launch->b, k, n) || !is_run(&launch->c, m, n))
        return 0;
    return widest <= 12 && (of_3 < of_4 || (of_3 == of_4 && size > 4)) ? 3 : 4;
}

static void plan_cells(const subwave_capabilities *device, subwave_dtype dtype, int32_t side,
                       subwave_matmul_batched_launch *launch)
{
    enum { BYTES = 16 << 10 }; /* of a block, that many are at work */
    const int32_t size = (int32_t)subwave_dtype_size(dtype), m = launch->m, n = launch->n,
                  k = launch->k;
    const int32_t wave = device->wave_size, pack = 16 / size;
    launch->tile = side == 3 ? SUBWAVE_MATMUL_BATCHED_CELLS_3 : SUBWAVE_MATMUL_BATCHED_CELLS_4;
    launch->down = launch->across = 1;
    launch->lane_rows = (int32_t)ceil_divide(m, side);
    launch->lane_columns = divisor((int32_t)ceil_divide(n, side));
    const int32_t lanes = launch->lane_rows * (int32_t)launch->lane_columns.number;
    launch->lanes = divisor(lanes);

    /* On the CPU device waves of a block take turns on one core. */
    const int32_t items =
        device->waves_take_turns ? greater_of(wave, lanes) : SUBWAVE_MATMUL_BATCHED_BLOCK;
    const int32_t elements = greater_of(m * k + k * n, m * n);
    launch->entries = greater_of(lesser_of(items / lanes, BYTES / (elements * size)), 1);
    /* Each begins as far into 16 bytes as it does in memory; C takes the place of A and B. */
    launch->b.local_at = round_up(launch->entries * m * k, pack) + pack;
    const int32_t both = launch->b.local_at + launch->entries * k * n;
    launch->shared_bytes = (uint32_t)((greater_of(both, launch->entries * m * n) + pack) * size);
    launch->block = (uint32_t)round_up(launch->entries * lanes, wave);
    launch->blocks = ceil_divide(launch->batch, launch->entries);
}

/* --- dense matrices on the matrix unit ------------------------------------------------------- */

/* Plans it, or returns false where another tile is faster or the only one. */
static bool plan_dense(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_matmul_batched_launch *launch)
{
    const int32_t m = launch->m, n = launch->n, k = launch->k, widest = greater_of(m, n);
    static const struct {
        subwave_matmul_batched_tile name;
        int32_t side, items;
    } dense[] = {
#define SUBWAVE_X(side, size, across) \
    {SUBWAVE_MATMUL_BATCHED_DENSE_##side, side, 32 * (across) * (across)},
        SUBWAVE_MATMUL_BATCHED_DENSE(SUBWAVE_X)
#undef SUBWAVE_X
    };
    size_t d = 0;
    while (d + 1 < sizeof dense / sizeof *dense && dense[d].side < widest)
        ++d;
    const int32_t side = dense[d].side;
    /* Rows of a multiple of 16 elements begin in one bank. */
    if (dtype != SUBWAVE_DTYPE_F64 || !device->f64_unit_of_16_rows || launch->a.transposed ||
        launch->b.transposed || launch->a.ld != k || launch->b.ld != n || launch->c.ld != n ||
        widest <= 16 || widest > side || k == 0 || k > 64 || k % 16 == 0)
        return false;

    /* As many rows and columns are read as there are elements for; each may begin within 16
     * bytes. */
    launch->b.local_at = round_up(m * k + 1, 2);
    launch->a.local_size =
        round_up(1 + greater_of(greater_of(launch->b.local_at + k * n + side, side * k), m * n), 2);
    const int32_t teams = SUBWAVE_MATMUL_BATCHED_BLOCK / dense[d].items;
    int32_t bytes = teams * launch->a.local_size * 8;
    if (side == 64 && k % 2 == 0 && bytes > 56 << 10)
        return false;
    /* Copies pass through L1, except for the largest: if as many blocks as a multiprocessor has
     * room for, a KiB more each, left little of it, one fewer are at work. */
    enum { ROOM = 228 << 10, BUSY = 196 << 10, MORE = 1 << 10 };
    const int32_t blocks = ROOM / (bytes + MORE);
    if (side < 64 && blocks * (bytes + MORE) > BUSY)
        bytes = round_up(ROOM / blocks - MORE + 1, 16);

    launch->tile = dense[d].name;
    launch->down = launch->across = 1;
    launch->block = SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->shared_bytes = (uint32_t)bytes;
    launch->blocks = ceil_divide(launch->batch, teams);
    return true;
}

/* --- whole waves with a matrix unit ---------------------------------------------------------- */

/* Plans it, or returns false where the groups' kernels do it: of few rows and columns, most of the
 * unit's tile would be empty. */
static bool plan_unit(const subwave_capabilities *device, subwave_dtype dtype,
                      subwave_matmul_batched_launch *launch)
{
    enum { SIDE = SUBWAVE_MATMUL_BATCHED_UNIT_SIDE };
    if (!device->shapes->unit_in_batches ||
        !subwave_has_matrix_unit(device, subwave_part_dtype(dtype)) ||
        greater_of(launch->m, launch->n) <= 16)
        return false;
    launch->tile = SUBWAVE_MATMUL_BATCHED_UNIT;
    launch->down = (int32_t)ceil_divide(launch->m, SIDE);
    launch->across = (int32_t)ceil_divide(launch->n, SIDE);
    launch->block = SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->blocks = ceil_divide(launch->batch * launch->down * launch->across,
                                 SUBWAVE_MATMUL_BATCHED_BLOCK / device->wave_size);
    return true;
}

/* --- which, and the grid --------------------------------------------------------------------- */

void subwave_plan_matmul_batched(const subwave_capabilities *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch)
{
    launch->first_block = 0;
    if (plan_dense(device, dtype, launch) || plan_unit(device, dtype, launch))
        return;
    const bool cpu = device->waves_take_turns;
    const bool complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    const bool matrix_unit = dtype == SUBWAVE_DTYPE_F64 && device->shapes->f64_unit_in_groups;
    const int32_t wave = device->wave_size;
    const int32_t widest = launch->m > launch->n ? launch->m : launch->n;

    /* The smallest that holds C, or the largest, whose groups fit into a sub-group. */
    const tile *best = NULL;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles && !(best && best->side >= widest); ++i) {
        const int32_t use = tiles[i].use;
        const bool suits =
            use == SUBWAVE_MATMUL_BATCHED_FOR_ALL ||
            (use == SUBWAVE_MATMUL_BATCHED_FOR_REAL && !complex) ||
            (use == SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX && complex) ||
            (use == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT && matrix_unit) ||
            (use == SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST && !complex && !matrix_unit);
        if (suits && subwave_batched_fits(device->few_registers, tiles[i].size, tiles[i].items) &&
            tiles[i].lanes <= wave)
            best = &tiles[i];
    }
    const int32_t side = cells_side(launch, dtype, best);
    if (side != 0) {
        plan_cells(device, dtype, side, launch);
        return;
    }
    launch->tile = best->name;
    launch->down = (int32_t)ceil_divide(launch->m, best->side);
    launch->across = (int32_t)ceil_divide(launch->n, best->side);

    /* On the CPU device waves of a block take turns on one core. */
    const int32_t block = cpu ? wave : SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->block = (uint32_t)(best->items > block ? best->items : block);
    launch->blocks = ceil_divide(launch->batch * launch->down * launch->across,
                                 launch->block / (uint32_t)best->items);
}
