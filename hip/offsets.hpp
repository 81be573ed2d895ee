/* SPDX-License-Identifier: MIT
 * offsets.hpp: offsets of matrices in an array, as the caller's lists have them.
 */
#ifndef SUBWAVE_HIP_OFFSETS_HPP
#define SUBWAVE_HIP_OFFSETS_HPP

#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

SUBWAVE_DEVICE std::int64_t offset_at(const subwave_offsets &offsets, std::int64_t i)
{
    return (offsets.wide ? static_cast<const std::int64_t *>(offsets.first)[i]
                         : static_cast<const std::int32_t *>(offsets.first)[i]) -
           offsets.base;
}

SUBWAVE_END

#endif
