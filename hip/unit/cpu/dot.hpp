/* SPDX-License-Identifier: MIT
 * unit/cpu/dot.hpp: the same in plain C++.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_DOT_HPP
#define SUBWAVE_HIP_UNIT_CPU_DOT_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

template <class T>
SUBWAVE_DEVICE std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t sum)
{
    for (int i = 0; i < 4; ++i)
        sum += static_cast<std::uint32_t>(static_cast<T>(a >> 8 * i) * static_cast<T>(b >> 8 * i));
    return sum;
}

template <class T> SUBWAVE_DEVICE void put_together(std::uint32_t &, const T *&) {}

SUBWAVE_DEVICE void forget(int &) {}

template <int I, int J, int K, int L>
SUBWAVE_DEVICE std::uint32_t bytes_of(std::uint32_t low, std::uint32_t high)
{
    const auto byte = [&](int i) { return (i < 4 ? low >> 8 * i : high >> 8 * (i - 4)) & 0xff; };
    return byte(I) | byte(J) << 8 | byte(K) << 16 | byte(L) << 24;
}

SUBWAVE_END

#endif
