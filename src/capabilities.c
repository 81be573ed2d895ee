/* SPDX-License-Identifier: MIT
 * capabilities.c: the capabilities of each platform's architectures.
 */
#include "capabilities.h"

#include <stdlib.h>
#include <string.h>

enum {
    I8 = 1 << SUBWAVE_DTYPE_I8,
    SMALL = 1 << SUBWAVE_DTYPE_F16 | 1 << SUBWAVE_DTYPE_BF16,
    F32 = 1 << SUBWAVE_DTYPE_F32,
    F64 = 1 << SUBWAVE_DTYPE_F64,
};

static subwave_capabilities common(const subwave_device_properties *properties)
{
    return (subwave_capabilities){.wave_size = properties->sub_group_sizes[0],
                                  .team_size = properties->sub_group_sizes[0],
                                  .compute_units = properties->compute_units};
}

void subwave_capabilities_of_cpu(const subwave_device_properties *properties,
                                 subwave_capabilities *found)
{
    *found = common(properties);
    found->matrix_dtypes = I8 | SMALL | F32 | F64;
    found->waves_take_turns = true;
    found->shapes = &subwave_shapes_cpu;
}

void subwave_capabilities_of_amd(const subwave_device_properties *properties,
                                 subwave_capabilities *found)
{
    static const struct {
        const char *name; /* the architecture's first characters */
        uint32_t matrix_dtypes;
        bool few_registers, matrix16_is_fast;
    } architectures[] = {
        {"gfx900", 0, true, false},
        {"gfx902", 0, true, false},
        {"gfx904", 0, true, false},
        {"gfx906", 0, true, false},
        {"gfx908", I8 | SMALL | F32, false, false},
        {"gfx909", 0, true, false},
        {"gfx90c", 0, true, false},
        {"gfx90a", I8 | SMALL | F32 | F64, false, false},
        {"gfx942", I8 | SMALL | F32 | F64, false, true},
        {"gfx950", I8 | SMALL | F32 | F64, false, true},
        {"gfx11", SMALL, false, false},
        {"gfx12", SMALL, false, false},
    };
    *found = common(properties);
    found->shapes =
        found->wave_size == 64 ? &subwave_shapes_amd_wave64 : &subwave_shapes_amd_wave32;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; ++i)
        if (strncmp(properties->architecture, architectures[i].name,
                    strlen(architectures[i].name)) == 0) {
            found->matrix_dtypes = architectures[i].matrix_dtypes;
            found->few_registers = architectures[i].few_registers;
            found->matrix16_is_fast = architectures[i].matrix16_is_fast;
        }
}

void subwave_capabilities_of_nvidia(const subwave_device_properties *properties,
                                    subwave_capabilities *found)
{
    const int sm =
        strncmp(properties->architecture, "sm_", 3) == 0 ? atoi(properties->architecture + 3) : 0;
    *found = common(properties);
    found->team_size = 16;
    found->matrix_dtypes = sm >= 80 ? I8 | SMALL | F64 : 0; /* f32 would lose bits */
    found->f64_unit_of_16_rows = sm >= 90;
    found->shapes = &subwave_shapes_nvidia;
}
