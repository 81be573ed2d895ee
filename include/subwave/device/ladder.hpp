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

/* The number of lanes that a group's ladder climbs over, and whether each block on the way is known
 * to be whole, so that nothing needs looking up. */
template <class Group> struct ladder_of {
    static constexpr bool whole_blocks = false;
    static SUBWAVE_DEVICE int extent() { return wave_size(); }
};
template <std::size_t P, class G> struct ladder_of<fixed_size_group<P, G>> {
    static constexpr bool whole_blocks = true;
    static SUBWAVE_DEVICE constexpr int extent() { return static_cast<int>(P); }
};
struct whole_wave {
    static constexpr bool whole_blocks = true;
    static SUBWAVE_DEVICE int extent() { return wave_size(); }
};

SUBWAVE_DEVICE lane_mask all_lanes() { return ~lane_mask(0) >> (64 - wave_size()); }

/* A lane of the sibling of this lane's block of `size` lanes that holds what the sibling contributes,
 * the last of those in `lanes`; -1 if there is none. */
template <class Ladder> SUBWAVE_DEVICE int sibling_lane(lane_bits lanes, int lane, int size)
{
    if constexpr (Ladder::whole_blocks)
        return (lane ^ size) | (size - 1);
    lane_bits sibling = lanes & block_lanes(lane ^ size, size);
    return sibling ? highest_lane(sibling) : -1;
}

/* Combines x over the lanes in `lanes`; valid in all of these. All of `members` call. A commutative op is
 * given its operands in any order, another in lane order. */
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T reduce_lanes(lane_mask members, lane_bits lanes, T x, Op op, site where)
{
    const int lane = wave_lane();
    SUBWAVE_UNROLL
    for (int size = 1; size < Ladder::extent(); size *= 2) {
        int from = sibling_lane<Ladder>(lanes, lane, size);
        T other = wave_shuffle(members, x, from < 0 ? lane : from, where);
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
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T scan_lanes(lane_mask members, T x, Op op, site where)
{
    const lane_bits lanes = static_cast<lane_bits>(members);
    const int lane = wave_lane();
    SUBWAVE_UNROLL
    for (int size = 1; size < Ladder::extent(); size *= 2) {
        int from = lane & size ? sibling_lane<Ladder>(lanes, lane, size) : -1;
        T other = wave_shuffle(members, x, from < 0 ? lane : from, where);
        if (from >= 0)
            x = op(other, x);
    }
    return x;
}

/* Calls body(ladder, members) with the shortest ladder for the group. A whole sub-group is known by
 * looking: its mask is then a constant, which GPUs exchange under at less cost. */
template <class Group, class Body> SUBWAVE_DEVICE auto with_ladder(Group g, Body body)
{
    if constexpr (std::is_same<Group, sub_group>::value)
        if (g.lanes() == all_lanes())
            return body(whole_wave(), all_lanes());
    return body(ladder_of<Group>(), g.lanes());
}

SUBWAVE_END

#endif
