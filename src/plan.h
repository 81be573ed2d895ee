/* SPDX-License-Identifier: MIT
 * plan.h: launch shapes as pure arithmetic, so that they are tested on any machine.
 */
#ifndef SUBWAVE_PLAN_H
#define SUBWAVE_PLAN_H

#include "backend.h"

#include <string.h>

static inline int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static inline bool is_cpu(const subwave_device_properties *device)
{
    return strcmp(device->backend, "cpu") == 0;
}

static inline bool is_nvidia(const subwave_device_properties *device)
{
    return strcmp(device->backend, "hip-nvidia") == 0;
}

/* Whether the device has matrix units for the type. */
bool subwave_plan_has_matrix(const subwave_device_properties *device, subwave_dtype dtype);

/* Makes a launch's product the transposed one, C^T = B^T A^T. */
void subwave_plan_turn(subwave_matmul_launch *launch);

/* Completes a launch whose problem (m, n, k, pointers, strides) is set: picks the variant for AUTO,
 * the tile, the block and the grid; may turn it. m, n >= 1. */
void subwave_plan_matmul(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_launch *launch);

/* Whether SKINNY is built for the type. */
bool subwave_plan_has_skinny(subwave_dtype dtype);

/* The rest of it for SKINNY; m <= n. */
void subwave_plan_skinny(const subwave_device_properties *device, subwave_dtype dtype,
                         subwave_matmul_launch *launch);

/* Device memory that a context keeps for its calls; the first SUBWAVE_SKINNY_TILES words of it are 0. */
size_t subwave_plan_workspace(const subwave_device_properties *device);

/* Whether `elements` at a time can be read from a row of a matrix by one aligned access. */
bool subwave_plan_reads_together(const void *matrix, int64_t row, int64_t column, int64_t elements,
                                 subwave_dtype dtype);

/* The same for a batch: picks the tile, the block and the grid. m, n, batch >= 1. */
void subwave_plan_matmul_batched(const subwave_device_properties *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch);

#endif
