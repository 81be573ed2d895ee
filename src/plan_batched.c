/* SPDX-License-Identifier: MIT
 * plan_batched.c: which tile of C a batch of small matrix products is computed by.
 */
#include "plan.h"

#include <string.h>

typedef struct tile {
    subwave_matmul_batched_tile name;
    int32_t whom, size, lanes; /* of a group */
    int32_t side, items;       /* of all its groups */
} tile;

static const tile tiles[] = {
#define SUBWAVE_X(name, whom, size, lanes, across, ...) \
    {SUBWAVE_MATMUL_BATCHED_##name, SUBWAVE_MATMUL_BATCHED_FOR_##whom, size, lanes, \
     (size) * ((across) > 1 ? (across) : 1), (lanes) * ((across) > 1 ? (across) * (across) : 1)},
    SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
};

/* Those of the kernels' few_registers. */
static bool has_few_registers(const subwave_device_properties *device)
{
    static const char *const few[] = {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"};
    for (size_t i = 0; i < sizeof few / sizeof *few; ++i)
        if (strncmp(device->architecture, few[i], strlen(few[i])) == 0)
            return true;
    return false;
}

void subwave_plan_matmul_batched(const subwave_device_properties *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch)
{
    const bool cpu = is_cpu(device);
    const bool complex = dtype == SUBWAVE_DTYPE_C32 || dtype == SUBWAVE_DTYPE_C64;
    const bool matrix_unit = dtype == SUBWAVE_DTYPE_F64 && is_nvidia(device);
    const bool few_registers = has_few_registers(device);
    const int32_t wave = device->sub_group_sizes[0];
    const int32_t widest = launch->m > launch->n ? launch->m : launch->n;

    /* The smallest that holds C, or the largest, whose groups fit into a sub-group. */
    const tile *best = NULL;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles && !(best && best->side >= widest); ++i) {
        const int32_t whom = tiles[i].whom;
        const bool suits = whom == SUBWAVE_MATMUL_BATCHED_FOR_ALL ||
                           (whom == SUBWAVE_MATMUL_BATCHED_FOR_REAL && !complex) ||
                           (whom == SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX && complex) ||
                           (whom == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT && matrix_unit) ||
                           (whom == SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST && !complex && !matrix_unit);
        const bool fits = !few_registers || (tiles[i].size < 32 && tiles[i].items <= 256);
        if (suits && fits && tiles[i].lanes <= wave)
            best = &tiles[i];
    }
    launch->tile = best->name;
    launch->down = (int32_t)ceil_divide(launch->m, best->side);
    launch->across = (int32_t)ceil_divide(launch->n, best->side);

    /* On the CPU device waves of a block take turns on one core. */
    const int32_t block = cpu ? wave : SUBWAVE_MATMUL_BATCHED_BLOCK;
    launch->block = (uint32_t)(best->items > block ? best->items : block);
    launch->blocks = ceil_divide(launch->batch * launch->down * launch->across,
                                 launch->block / (uint32_t)best->items);
    launch->first_block = 0;
}
