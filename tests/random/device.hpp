/* SPDX-License-Identifier: MIT
 * device.hpp: what generated kernels use beside the device interface.
 */
#ifndef SUBWAVE_TESTS_RANDOM_DEVICE_HPP
#define SUBWAVE_TESTS_RANDOM_DEVICE_HPP

#include <subwave/subwave.hpp>

#include <group.hpp> /* hip/: any_group, of which the C calls are made */

namespace generated {

using namespace subwave;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

/* x -> a x + b, and composition, left to right, which is not commutative. */
struct affine {
    u32 a, b;
};
struct compose {
    SUBWAVE_DEVICE affine operator()(affine f, affine g) const
    {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
/* The last that is 8 or more, else the first. */
struct latest {
    template <class T> SUBWAVE_DEVICE T operator()(const T &a, const T &b) const
    {
        return b < T(8) ? a : b;
    }
};

/* A small whole number in any type. */
template <class T> SUBWAVE_DEVICE T number(int x)
{
    if constexpr (std::is_same<T, affine>::value)
        return {static_cast<u32>(x) | 1u, static_cast<u32>(x) * 5u + 3u};
    else if constexpr (is_floating_v<T>)
        return T(static_cast<float>(x));
    else
        return static_cast<T>(x);
}
/* All bits of an integer type, from 32. */
template <class T> SUBWAVE_DEVICE T spread(u32 x) { return static_cast<T>(x * u64(0x100000001)); }

/* 32 bits that tell values apart. */
template <class T> SUBWAVE_DEVICE u32 digest(const T &x)
{
    u64 bits = 0;
    memcpy(&bits, &x, sizeof(T));
    return static_cast<u32>(bits) ^ static_cast<u32>(bits >> 32) * 3u;
}

template <class T> SUBWAVE_DEVICE const T *elements(const u64 *data)
{
    return reinterpret_cast<const T *>(data);
}

SUBWAVE_DEVICE int item_in_grid()
{
    const int size = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    return static_cast<int>(blockIdx.x) * size +
           static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

} // namespace generated

#endif
