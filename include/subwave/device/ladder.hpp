/* SPDX-License-Identifier: MIT
 * ladder.hpp: the one ladder of exchanges that reduce and scan are made of.
 *
 * Step s joins neighbouring blocks of 2^s lanes: lanes 2i and 2i + 1 first, then pairs, and so on. What
 * a block contributes is the combination of those of its lanes that count; an empty block
 * contributes nothing. So a result is a tree over lane positions with the absent lanes left out. Its
 * shape depends on which lanes count alone, not on the kind of group nor on who else is active, and it is the
 * same on every target.
 */
#ifndef SUBWAVE_DEVICE_LADDER_HPP
#define SUBWAVE_DEVICE_LADDER_HPP

#include <subwave/device/exchange.hpp>
#include <subwave/device/ops.hpp>

SUBWAVE_BEGIN

/* The number of lanes that a group's ladder must climb over. */
template <class Group> struct ladder_extent {
    static SUBWAVE_DEVICE constexpr int value() { return max_wave_size(); }
};
template <std::size_t P, class G> struct ladder_extent<fixed_size_group<P, G>> {
    static SUBWAVE_DEVICE constexpr int value() { return static_cast<int>(P); }
};

/* A member of the sibling of this lane's block of `size` lanes, which holds what that block
 * contributes; -1 if the sibling is empty. */
SUBWAVE_DEVICE int sibling_lane(lane_bits lanes, int lane, int size)
{
    lane_bits sibling = lanes & block_lanes(lane ^ size, size);
    return sibling ? highest_lane(sibling) : -1;
}

/* Combines x over those members of g that are in `lanes`; valid in all of these. All of g calls.
 * A commutative op is given its operands in any order, another in lane order. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T reduce_lanes(Group g, lane_bits lanes, T x, Op op, site where)
{
    const int lane = wave_lane();
    SUBWAVE_UNROLL
    for (int size = 1; size < ladder_extent<Group>::value(); size *= 2) {
        int from = sibling_lane(lanes, lane, size);
        T other = wave_shuffle(g.lanes(), x, from < 0 ? lane : from, where);
        if (from >= 0) {
            if constexpr (is_commutative_v<Op, T>)
                x = op(x, other);
            else
                x = lane & size ? op(other, x) : op(x, other);
        }
    }
    return x;
}

/* Inclusive scan of x in lane order over all members. A step gives the lanes of an upper block what the
 * last member of the lower block holds, which is the whole of that block. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T scan_lanes(Group g, T x, Op op, site where)
{
    const lane_bits lanes = static_cast<lane_bits>(g.lanes());
    const int lane = wave_lane();
    SUBWAVE_UNROLL
    for (int size = 1; size < ladder_extent<Group>::value(); size *= 2) {
        int from = lane & size ? sibling_lane(lanes, lane, size) : -1;
        T other = wave_shuffle(g.lanes(), x, from < 0 ? lane : from, where);
        if (from >= 0)
            x = op(other, x);
    }
    return x;
}

SUBWAVE_END

#endif
