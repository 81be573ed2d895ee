/* SPDX-License-Identifier: MIT
 * plan.c: launch shapes as pure arithmetic on the problem and the device.
 */
#include "plan.h"

#include <string.h>

static int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* Kernels walk over tiles by the grid's size, so a grid may be smaller than the work. */
static uint32_t grid_for(int64_t down, int64_t across)
{
    const int64_t most = 0x7fffffff;
    return (uint32_t)(down > most / across ? most : down * across);
}

/* A tile of C in registers saves loads of B and broadcasts of A: the largest of which every compute
 * unit gets some. */
static void plan_broadcast(const subwave_device_properties *device, subwave_dtype dtype,
                           subwave_matmul_launch *launch)
{
    const bool cpu = strcmp(device->backend, "cpu") == 0;
    const bool nvidia = strcmp(device->backend, "hip-nvidia") == 0;
    const int64_t wave = device->sub_group_sizes[0], units = device->compute_units;
    const int64_t width = nvidia ? 16 : wave; /* wave_team_size() */
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    static const int32_t sides[] = {8, 4};
    int64_t down = 0, across = 0;
    for (int t = cpu ? 1 : 0; t < 2; ++t) {
        launch->tile_rows = launch->tile_columns = sides[t];
        down = ceil_divide(launch->m, sides[t] * (wave / width));
        across = ceil_divide(launch->n, sides[t] * width);
        if (down >= 2 * units || across >= 2 * units || down * across >= 2 * units)
            break;
    }
    const bool aligned = (uintptr_t)launch->b % 16 == 0 && launch->b_row * size % 16 == 0;
    launch->packed = launch->b_column == 1 && (cpu || aligned);
    /* Sub-groups of a block share rows of B in the cache. On the CPU device they would take turns. */
    const int64_t groups = cpu || down < 4 || down * across < 16 * units ? 1 : 4;
    launch->block_x = (uint32_t)(groups * wave);
    launch->blocks = grid_for(ceil_divide(down, groups), across);
}

void subwave_plan_matmul(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_launch *launch)
{
    const bool cpu = strcmp(device->backend, "cpu") == 0;
    const uint32_t wave = (uint32_t)device->sub_group_sizes[0];
    const int64_t m = launch->m, n = launch->n;

    launch->variant = variant == SUBWAVE_VARIANT_AUTO ? SUBWAVE_VARIANT_BROADCAST : variant;
    launch->tile_rows = launch->tile_columns = 1;
    launch->packed = 0;
    launch->block_y = 1;
    launch->shared_bytes = 0;
    switch (launch->variant) {
    case SUBWAVE_VARIANT_NAIVE:
        launch->block_x = launch->block_y = 16;
        launch->blocks = grid_for(ceil_divide(m, 16), ceil_divide(n, 16));
        return;
    case SUBWAVE_VARIANT_LOCAL:
        launch->block_x = 64;
        launch->blocks = grid_for(m, ceil_divide(n, 64));
        launch->shared_bytes = (uint32_t)(64 * subwave_dtype_size(dtype));
        return;
    case SUBWAVE_VARIANT_TUTORIAL:
        launch->block_x = cpu ? wave : 256;
        launch->blocks = grid_for(ceil_divide(m, launch->block_x / wave), ceil_divide(n, wave));
        return;
    default:
        plan_broadcast(device, dtype, launch);
        return;
    }
}
