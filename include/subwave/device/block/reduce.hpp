/* SPDX-License-Identifier: MIT
 * block/reduce.hpp: one value from the work-items of a block, in an order that does not depend on
 * how many lanes a wave has.
 */
#ifndef SUBWAVE_DEVICE_BLOCK_REDUCE_HPP
#define SUBWAVE_DEVICE_BLOCK_REDUCE_HPP

#include <subwave/device/reduce.hpp>

SUBWAVE_BEGIN

/* Elements of shared memory that block_reduce needs for a block of so many work-items. */
template <int Items> inline constexpr int block_reduce_elements = Items / min_wave_size();

/* op over x of a block's Items work-items, a power of two and a multiple of the wave size. All call
 * it together, in converged control flow; the result is valid in all of them. The order is that of
 * ladder.hpp, over the whole block: work-items 2i and 2i + 1 first, then pairs, and so on, whatever
 * the wave size. `shared` has block_reduce_elements<Items>, and may be used again after a
 * block_barrier. */
template <int Items, class T, class Op>
SUBWAVE_DEVICE T block_reduce(T x, Op op, T *shared, site where = site::current())
{
    constexpr int most = block_reduce_elements<Items>;
    static_assert((Items & (Items - 1)) == 0 && Items >= max_wave_size(),
                  "block_reduce: the block must be a power of two, of whole waves");
    const int waves = Items / wave_size();
    const sub_group wave = this_work_item::get_sub_group();
    if constexpr (min_wave_size() == max_wave_size()) /* known to be whole */
        x = reduce_over_group(get_fixed_size_group<max_wave_size()>(wave), x, op, where);
    else
        x = reduce_over_group(wave, x, op, where);
    if (waves == 1)
        return x;
    if (wave.leader())
        shared[wave.get_group_linear_id()] = x;
    block_barrier(where);
    T part[most];
    SUBWAVE_UNROLL
    for (int i = 0; i < waves; ++i)
        part[i] = shared[i];
    SUBWAVE_UNROLL
    for (int size = 1; size < waves; size *= 2) {
        SUBWAVE_UNROLL
        for (int i = 0; i < waves; i += 2 * size)
            part[i] = op(part[i], part[i + size]);
    }
    return part[0];
}

SUBWAVE_END

#endif
