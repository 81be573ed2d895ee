/* SPDX-License-Identifier: MIT
 * matrix_staged.hpp: copies into local memory by way of registers, for platforms without a direct
 * one.
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX_STAGED_HPP
#define SUBWAVE_HIP_UNIT_MATRIX_STAGED_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

template <class T, int Count> struct pair_copy {
    T held[Count][2];

    SUBWAVE_DEVICE void begin(int e, T *, const T *from)
    {
        const T *pair = static_cast<const T *>(__builtin_assume_aligned(from, sizeof held[e]));
        held[e][0] = pair[0];
        held[e][1] = pair[1];
    }
    SUBWAVE_DEVICE void begin(int e, T *, const T *from, std::int64_t distance, int count)
    {
        held[e][0] = count > 0 ? from[0] : T(0);
        held[e][1] = count > 1 ? from[distance] : T(0);
    }
    SUBWAVE_DEVICE void end(int e, T *to) const
    {
        to[0] = held[e][0];
        to[1] = held[e][1];
    }
};
SUBWAVE_DEVICE void matrix_copies_begun() {}
template <int> SUBWAVE_DEVICE void matrix_copies_wait() {}

SUBWAVE_END

#endif
