/* SPDX-License-Identifier: MIT
 * matmul_skinny.hpp: what the tiles of a skinny product share. There is one for each way in which B can lie: how a
 * wave loads B by 16 bytes a lane and comes by its sums.
 *
 *   Tile(problem, sg)       the problem begins at the tile's first cell and at the block's part of k
 *   rows, columns()         cells
 *   items, blocks           of a block; whose registers a multiprocessor should hold
 *   waves_along()           waves of the block that share k; the others are side by side
 *   multiply(memory, where) all of k; memory is the block's local memory
 *   rounds, put(round, memory)  writes the sums of rows / rounds rows, cell by cell and wave by wave
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_HPP

#include "matmul.hpp"

SUBWAVE_BEGIN

template <class T> constexpr int skinny_pack = 16 / sizeof(T);

/* The CPU device's waves take turns. */
constexpr int skinny_waves = min_wave_size() == max_wave_size()
                                 ? SUBWAVE_SKINNY_BLOCK / max_wave_size()
                                 : SUBWAVE_SKINNY_CPU_WAVES;

/* Says that a number is each lane's own. LLVM 15 keeps two scalar registers for every sum of strides. */
SUBWAVE_DEVICE std::int64_t of_each_lane(std::int64_t number)
{
#ifdef __AMDGCN__
    asm volatile("" : "+v"(number));
#endif
    return number;
}

/* Elements of a line of memory, `stride` apart; those from `count` on are 0. Packed: neighbours,
 * and aligned. */
template <bool Packed, bool Inside, class T, int N>
SUBWAVE_DEVICE void load_line(T (&to)[N], const T *from, std::int64_t stride, std::int64_t count)
{
    if (Packed && (Inside || count >= N)) {
        load_together<skinny_pack<T>>(to, from);
    } else {
        const std::int64_t step = of_each_lane(stride);
        SUBWAVE_UNROLL
        for (int e = 0; e < N; ++e, from += step)
            to[e] = Inside || e < count ? *from : T(0);
    }
}

/* Says that a line's elements are neighbours. */
template <bool Packed, bool Down, class T>
SUBWAVE_DEVICE matmul_problem<T> in_packs(matmul_problem<T> p)
{
    if (Packed)
        (Down ? p.b_row : p.b_column) = 1;
    return p;
}

template <class T> SUBWAVE_DEVICE void store_16_bytes(T *to, const T (&from)[skinny_pack<T>])
{
    struct alignas(16) chunk {
        T element[skinny_pack<T>];
    } stored;
    SUBWAVE_UNROLL
    for (int e = 0; e < skinny_pack<T>; ++e)
        stored.element[e] = from[e];
    *reinterpret_cast<chunk *>(to) = stored;
}

/* Copies Rows rows of A from term l on, as many terms as `terms`, to local memory: term by term, or row by row.
 * What is not there becomes 0. */
template <int Rows, bool ByTerm, class T>
SUBWAVE_DEVICE void copy_terms(T *local, const matmul_problem<T> &p, std::int64_t l, unsigned terms,
                               unsigned item, unsigned items)
{
    const bool along_k = p.a_column == 1;
    const unsigned rows = p.m < Rows ? p.m : Rows;
    const unsigned there = p.k - l >= terms ? terms : p.k > l ? p.k - l : 0;
    const T *a = p.a + l * p.a_column;
    SUBWAVE_ROLLED /* or registers go to what could be computed once */
    for (unsigned e = computed_anew(item); e < Rows * terms; e += items) {
        const unsigned i = along_k ? e / terms : e % Rows, s = along_k ? e % terms : e / Rows;
        T *to = &local[ByTerm ? s * Rows + i : i * terms + s];
        if (i < rows && s < there)
            copy_to_local(to, a + i * p.a_row + s * p.a_column);
        else
            *to = 0;
    }
}

SUBWAVE_END

#endif
