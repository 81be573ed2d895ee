/* SPDX-License-Identifier: MIT
 * unit/nvidia/dot.hpp: dp4a and prmt.
 */
#ifndef SUBWAVE_HIP_UNIT_NVIDIA_DOT_HPP
#define SUBWAVE_HIP_UNIT_NVIDIA_DOT_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

template <class T>
SUBWAVE_DEVICE std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t sum)
{
    return static_cast<std::uint32_t>(
        __dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(sum)));
}

template <class T> SUBWAVE_DEVICE void put_together(std::uint32_t &word, const T *&next)
{
    asm volatile("" : "+r"(word), "+l"(next));
}

SUBWAVE_DEVICE void forget(int &value) { asm volatile("" : "+r"(value)); }

template <int I, int J, int K, int L>
SUBWAVE_DEVICE std::uint32_t bytes_of(std::uint32_t low, std::uint32_t high)
{
    return __byte_perm(low, high, I | J << 4 | K << 8 | L << 12);
}

SUBWAVE_END

#endif
