/* SPDX-License-Identifier: MIT
 * divisor.hpp: small integers, multiplied, and divided by one that the host knows.
 */
#ifndef SUBWAVE_HIP_DIVISOR_HPP
#define SUBWAVE_HIP_DIVISOR_HPP

#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Of numbers from 0 below 2^24, which AMD's compute units multiply four times as fast as others, and
 * add to in the same instruction. */
SUBWAVE_DEVICE std::uint32_t small_product(std::uint32_t a, std::uint32_t b)
{
    constexpr std::uint32_t bits = 0xffffff;
    return (a & bits) * (b & bits);
}
SUBWAVE_DEVICE int small_product(int a, int b)
{
    return static_cast<int>(
        small_product(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
}

/* Exact while the product of both is below 2^20. */
SUBWAVE_DEVICE int quotient(int x, subwave_divisor by)
{
    return static_cast<int>(small_product(static_cast<std::uint32_t>(x), by.reciprocal) >> 20);
}

SUBWAVE_END

#endif
