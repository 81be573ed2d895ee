/* SPDX-License-Identifier: MIT
 * shapes.hpp: the tile shapes of the platform at hand.
 */
#ifndef SUBWAVE_HIP_SHAPES_HPP
#define SUBWAVE_HIP_SHAPES_HPP

#include "shapes.h"

#include <subwave/device/arch.hpp>

/* A header that every platform has for itself, in unit/<platform>. */
/* Without spaces, which would be in the name of the file. */
/* clang-format off */
#define SUBWAVE_FILE(name) #name
#define SUBWAVE_UNIT_FILE(p,name) SUBWAVE_FILE(p/name.hpp)
#define SUBWAVE_UNIT_OF(p,name) SUBWAVE_UNIT_FILE(p,name)
#define SUBWAVE_UNIT_HEADER(name) SUBWAVE_UNIT_OF(SUBWAVE_PLATFORM,name)
/* clang-format on */

#define SUBWAVE_SHAPES_OF_cpu subwave_shapes_cpu
#define SUBWAVE_SHAPES_OF_nvidia subwave_shapes_nvidia
#define SUBWAVE_SHAPES_OF_amd \
    (wave_size() == 64 ? subwave_shapes_amd_wave64 : subwave_shapes_amd_wave32)
#define SUBWAVE_SHAPES_OF_(platform) SUBWAVE_SHAPES_OF_##platform
#define SUBWAVE_SHAPES_OF(platform) SUBWAVE_SHAPES_OF_(platform)

SUBWAVE_BEGIN

inline constexpr subwave_shapes shapes = SUBWAVE_SHAPES_OF(SUBWAVE_PLATFORM);

/* Whether a unit is as plans have it: `items` elements of C per work-item. */
constexpr bool is_unit(int rows, int columns, int items, const subwave_unit_shape &shape)
{
    return rows == shape.rows && (shape.per_lane || columns == shape.columns) &&
           items == shape.item_rows * shape.item_columns;
}

SUBWAVE_END

#endif
