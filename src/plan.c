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

void subwave_plan_matmul(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_launch *launch)
{
    const bool cpu = strcmp(device->backend, "cpu") == 0;
    const uint32_t wave = (uint32_t)device->sub_group_sizes[0];
    const int64_t m = launch->m, n = launch->n;

    launch->variant = variant == SUBWAVE_VARIANT_AUTO ? SUBWAVE_VARIANT_BROADCAST : variant;
    launch->tile_rows = launch->tile_columns = 1;
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
    default:
        /* A tile of C in registers saves loads of B and broadcasts of A. On the CPU device a block is
         * one wave, since waves of a block take turns on one core. */
        launch->tile_rows = launch->tile_columns = 4;
        launch->block_x = cpu ? wave : 256;
        launch->blocks = grid_for(ceil_divide(m, 4 * (launch->block_x / wave)),
                                  ceil_divide(n, 4 * (int64_t)wave));
        return;
    }
}
