/* SPDX-License-Identifier: MIT
 * divisor.hpp: small integers divided by one that the host knows.
 */
#ifndef SUBWAVE_HIP_DIVISOR_HPP
#define SUBWAVE_HIP_DIVISOR_HPP

#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Exact while the product of both is below 2^20. */
SUBWAVE_DEVICE int quotient(int x, subwave_divisor by)
{
    return static_cast<int>(static_cast<std::uint32_t>(x) * by.reciprocal >> 20);
}

SUBWAVE_END

#endif
