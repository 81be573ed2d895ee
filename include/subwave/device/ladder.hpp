/* SPDX-License-Identifier: MIT
 * ladder.hpp: the one ladder of exchanges that reduce and scan are made of.
 *
 * Step s joins neighbouring blocks of 2^s lanes: lanes 2i and 2i + 1 first, then pairs, and so on.
 * What a block contributes is the combination of those of its lanes that count; an empty block
 * contributes nothing. So a result is a tree over lane positions with the absent lanes left out.
 * Its shape depends on which lanes count alone, not on the kind of group nor on who else is active,
 * and it is the same on every target.
 */
#ifndef SUBWAVE_DEVICE_LADDER_HPP
#define SUBWAVE_DEVICE_LADDER_HPP

#include <subwave/device/exchange.hpp>
#include <subwave/device/ops.hpp>

SUBWAVE_BEGIN

/* A ladder knows how many lanes it climbs over, and in `sibling` which lane holds what the sibling
 * of this lane's block of `size` lanes contributes: the last of those of its lanes that count, or
 * -1; in `below` the same for lanes that count, and -1 where the sibling is the upper one. */
struct any_lanes {
    lane_bits lanes;
    static constexpr bool is_whole = false;
    static SUBWAVE_DEVICE int extent() { return wave_size(); }
    SUBWAVE_DEVICE int sibling(int lane, int size) const
    {
        return last_of(block_lanes(lane ^ size, size));
    }
    SUBWAVE_DEVICE int below(int lane, int size) const
    {
        return last_of(lane & size ? block_lanes(lane ^ size, size) : 0);
    }

private:
    SUBWAVE_DEVICE int last_of(lane_bits block) const
    {
        const lane_bits found = lanes & block;
        return found ? highest_lane(found) : -1;
    }
};

/* The same where no others run. */
struct active_lanes : any_lanes {
    SUBWAVE_DEVICE explicit active_lanes(lane_bits lanes) : any_lanes{lanes} {}
};

/* Any number of sets of lanes, each lane's own; where size is not 0, blocks of that many lanes, all
 * of which are there. A lane with an empty set takes part for the others. */
struct sets_or_blocks : any_lanes {
    int size;
    wave_siblings siblings;
};

/* Each lane's own set, of which there may be many: every step is an exchange, whatever their
 * number. */
struct many_sets : any_lanes {
    SUBWAVE_DEVICE explicit many_sets(lane_bits lanes) : any_lanes{lanes} {}
};

/* The last lane of the lower sibling, or -1. */
SUBWAVE_DEVICE int last_below(int lane, int size)
{
    return lane & size ? (lane ^ size) | (size - 1) : -1;
}

/* Lanes 0 to last. */
struct first_lanes {
    int last;
    static constexpr bool is_whole = false;
    static SUBWAVE_DEVICE int extent() { return wave_size(); }
    SUBWAVE_DEVICE int sibling(int lane, int size) const
    {
        int first = (lane ^ size) & -size, end = first + size - 1;
        return first > last ? -1 : end < last ? end : last;
    }
    SUBWAVE_DEVICE int below(int lane, int size) const { return last_below(lane, size); }
};

/* Whole, aligned blocks of Size lanes. */
template <int Size> struct whole_blocks {
    static constexpr bool is_whole = true;
    static SUBWAVE_DEVICE constexpr int extent() { return Size; }
    SUBWAVE_DEVICE int sibling(int lane, int size) const { return (lane ^ size) | (size - 1); }
    SUBWAVE_DEVICE int below(int lane, int size) const { return last_below(lane, size); }
};

/* Whole, aligned blocks of `size` lanes, a power of two that is the same in all lanes. */
struct blocks_alike {
    int size;
    static constexpr bool is_whole = true;
    SUBWAVE_DEVICE int extent() const { return size; }
    SUBWAVE_DEVICE int sibling(int lane, int block) const { return (lane ^ block) | (block - 1); }
    SUBWAVE_DEVICE int below(int lane, int block) const { return last_below(lane, block); }
};

template <class Group> SUBWAVE_DEVICE auto ladder_of(Group g)
{
    using ladder =
        std::conditional_t<is_alone<Group>::value, active_lanes,
                           std::conditional_t<is_one_of_many<Group>::value, many_sets, any_lanes>>;
    return ladder{static_cast<lane_bits>(g.lanes())};
}
SUBWAVE_DEVICE first_lanes ladder_of(sub_group g)
{
    return {highest_lane(static_cast<lane_bits>(g.lanes()))};
}
template <std::size_t P, class G>
SUBWAVE_DEVICE whole_blocks<static_cast<int>(P)> ladder_of(fixed_size_group<P, G>)
{
    return {};
}

/* Combines x over the ladder's lanes; valid in all of these. All of `callers` call. A commutative
 * op is given its operands in any order, another in lane order. */
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T reduce_lanes(lane_mask callers, Ladder ladder, T x, Op op, site where)
{
    const int lane = wave_lane();
    const auto join = [&](T other, int size) {
        if constexpr (is_commutative_v<Op, T>)
            return op(x, other);
        else
            return lane & size ? op(other, x) : op(x, other);
    };
    SUBWAVE_UNROLL
    for (int size = 1; size < wave_size() && size < ladder.extent(); size *= 2) {
        if constexpr (Ladder::is_whole) { /* any lane of the sibling will do */
            x = join(wave_sibling(callers, x, size, where), size);
        } else {
            int from = ladder.sibling(lane, size);
            T other = wave_shuffle(callers, x, from < 0 ? lane : from, where);
            if (from >= 0)
                x = join(other, size);
        }
    }
    return x;
}

/* Inclusive scan of x over the ladder's lanes, in lane order. A step gives the lanes of an upper
 * block what the last lane of the lower block holds, which is the whole of that block. */
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T scan_lanes(lane_mask callers, Ladder ladder, T x, Op op, site where)
{
    const int lane = wave_lane();
    SUBWAVE_UNROLL
    for (int size = 1; size < wave_size() && size < ladder.extent(); size *= 2) {
        int from = ladder.below(lane, size);
        T other = wave_shuffle(callers, x, from < 0 ? lane : from, where);
        if (from >= 0)
            x = op(other, x);
    }
    return x;
}

SUBWAVE_END

#endif
