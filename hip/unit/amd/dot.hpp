/* SPDX-License-Identifier: MIT
 * unit/amd/dot.hpp: v_dot4_i32_i8, v_dot4_i32_iu8 of gfx11 and gfx12, and v_perm_b32.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_DOT_HPP
#define SUBWAVE_HIP_UNIT_AMD_DOT_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

/* The builtins depend on the template's argument, since not every compiler has both. */
template <class T>
SUBWAVE_DEVICE std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t sum)
{
    using word = std::conditional_t<sizeof(T) == 1, int, T>;
    constexpr dot4_kind kind = sizeof(T) == 1 ? SUBWAVE_DOT4 : dot4_kind::none;
    const word x = static_cast<word>(a), y = static_cast<word>(b), z = static_cast<word>(sum);
    if constexpr (kind == dot4_kind::i8) {
        return static_cast<std::uint32_t>(__builtin_amdgcn_sdot4(x, y, z, false));
    } else if constexpr (kind == dot4_kind::iu8) {
        return static_cast<std::uint32_t>(__builtin_amdgcn_sudot4(true, x, true, y, z, false));
    } else {
        SUBWAVE_UNROLL
        for (int i = 0; i < 4; ++i)
            sum +=
                static_cast<std::uint32_t>(static_cast<T>(a >> 8 * i) * static_cast<T>(b >> 8 * i));
        return sum;
    }
}

template <class T> SUBWAVE_DEVICE void put_together(std::uint32_t &word, const T *&next)
{
    asm volatile("" : "+v"(word), "+v"(next));
}

SUBWAVE_DEVICE void forget(int &value) { asm volatile("" : "+v"(value)); }

template <int I, int J, int K, int L>
SUBWAVE_DEVICE std::uint32_t bytes_of(std::uint32_t low, std::uint32_t high)
{
    return __builtin_amdgcn_perm(high, low, I | J << 8 | K << 16 | L << 24);
}

SUBWAVE_END

#endif
