/* SPDX-License-Identifier: MIT
 * capabilities.h: what plans know of a device. A backend fills it; plans read nothing else, no
 * names.
 */
#ifndef SUBWAVE_CAPABILITIES_H
#define SUBWAVE_CAPABILITIES_H

#include <subwave/types.h>

#include "../hip/shapes.h"

typedef struct subwave_capabilities {
    int32_t wave_size;
    /* lanes that can receive a value from a lane of their own as fast as the wave from one */
    int32_t team_size;
    int32_t compute_units;
    /* those that a matrix unit multiplies without losing their accuracy: bits 1 << dtype */
    uint32_t matrix_dtypes;
    bool f64_unit_of_16_rows;
    bool matrix16_is_fast; /* has the large blocks of 16 bits (hip/shapes.h) */
    bool few_registers;    /* a block of 512 leaves a lane too few for large tiles */
    /* the waves of a block share a core, and shared memory is the cache: the CPU device */
    bool waves_take_turns;
    const subwave_shapes *shapes;
} subwave_capabilities;

static inline bool subwave_has_matrix_unit(const subwave_capabilities *device, subwave_dtype dtype)
{
    return device->matrix_dtypes >> dtype & 1;
}

/* Each fills them from the wave's size, the compute units and the architecture's name of
 * `properties`. */
void subwave_capabilities_of_cpu(const subwave_device_properties *properties,
                                 subwave_capabilities *found);
void subwave_capabilities_of_amd(const subwave_device_properties *properties,
                                 subwave_capabilities *found);
void subwave_capabilities_of_nvidia(const subwave_device_properties *properties,
                                    subwave_capabilities *found);

#endif
