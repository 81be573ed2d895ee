/* SPDX-License-Identifier: MIT
 * fill.hip: memory that repeats a pattern of 16 bytes, which are stored together; up to 15 bytes
 * before and after them one by one.
 */
#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Byte i of 16. */
SUBWAVE_DEVICE std::uint8_t byte_of(const std::uint64_t (&words)[2], unsigned i)
{
    return static_cast<std::uint8_t>((i < 8 ? words[0] : words[1]) >> i % 8 * 8);
}

template <class T> SUBWAVE_KERNEL(SUBWAVE_FILL_BLOCK) fill(subwave_fill_launch p)
{
    struct alignas(16) pack {
        std::uint64_t word[2];
    };
    T *const x = static_cast<T *>(p.x);
    pack *const packs = reinterpret_cast<pack *>(x + p.before);
    const std::int64_t step = std::int64_t(gridDim.x) * SUBWAVE_FILL_BLOCK;
    for (std::int64_t i = std::int64_t(blockIdx.x) * SUBWAVE_FILL_BLOCK + threadIdx.x; i < p.packs;
         i += step)
        packs[i] = pack{{p.pack[0], p.pack[1]}};
    if (blockIdx.x != 0)
        return;
    if (threadIdx.x < p.before)
        x[threadIdx.x] = byte_of(p.pattern, threadIdx.x);
    if (threadIdx.x < p.after)
        x[p.before + 16 * p.packs + threadIdx.x] = byte_of(p.pack, threadIdx.x);
}

template <class T> int launch_fill(const subwave_fill_launch &p, void *stream)
{
    return launch(fill<T>, dim3(p.blocks), dim3(SUBWAVE_FILL_BLOCK), 0, stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_fill(SUBWAVE_DEFINE_LAUNCHER)
