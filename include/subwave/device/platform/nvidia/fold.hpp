/* SPDX-License-Identifier: MIT
 * platform/nvidia/fold.hpp: redux.sync, which combines a 32-bit integer of all members in one
 * instruction; scans of integers; sets of lanes.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_NVIDIA_FOLD_HPP
#define SUBWAVE_DEVICE_PLATFORM_NVIDIA_FOLD_HPP

#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

/* The instruction for an Op, on what type. */
template <class Op> struct redux {
    static constexpr bool exists = false;
};
#define SUBWAVE_X(op, instruction, Word) \
    template <class U> struct redux<op<U>> { \
        static constexpr bool exists = true; \
        template <class T> static SUBWAVE_DEVICE T of(lane_mask members, T x) \
        { \
            return static_cast<T>(instruction(members, static_cast<Word<T>>(x))); \
        } \
    };
template <class T> using as_unsigned = std::conditional_t<sizeof(T) <= 4, std::uint32_t, T>;
template <class T>
using as_it_is = std::conditional_t<std::is_signed<T>::value, std::int32_t, as_unsigned<T>>;
SUBWAVE_X(plus, wave_sum, as_unsigned)
SUBWAVE_X(bit_and, wave_and, as_unsigned)
SUBWAVE_X(bit_or, wave_or, as_unsigned)
SUBWAVE_X(bit_xor, wave_xor, as_unsigned)
SUBWAVE_X(minimum, wave_min, as_it_is)
SUBWAVE_X(maximum, wave_max, as_it_is)
#undef SUBWAVE_X

/* Parts of a wave are better off with a ladder: the instruction takes them one by one. */
template <class Ladder> inline constexpr bool is_part_v = false;
template <> inline constexpr bool is_part_v<many_sets> = true;
template <int Size> inline constexpr bool is_part_v<whole_blocks<Size>> = Size < wave_size();
template <> inline constexpr bool is_part_v<blocks_alike> = true;

template <class Op, class T, class Ladder>
inline constexpr bool folds_reduce_v = wave_reduces_integers && is_integer_v<T> && sizeof(T) <= 4 &&
                                       redux<Op>::exists && !is_part_v<Ladder>;

template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_reduce(lane_mask callers, Ladder, T x, Op)
{
    return redux<Op>::of(callers, x);
}

/* Sums of integers are the same in any order, so a step may take from the lane that is so many below. */
template <class Ladder> inline constexpr int block_of_v = 0;
template <> inline constexpr int block_of_v<first_lanes> = wave_size();
template <int Size> inline constexpr int block_of_v<whole_blocks<Size>> = Size;

template <class Op, class T, class Ladder>
inline constexpr bool folds_scan_v = is_integer_v<T> && sizeof(T) == 4 && block_of_v<Ladder> > 0 &&
                                     (std::is_same<Op, plus<T>>::value ||
                                      std::is_same<Op, plus<>>::value);

template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan(lane_mask callers, Ladder, T x, Op)
{
    constexpr int size = block_of_v<Ladder>;
    auto sum = static_cast<std::uint32_t>(x);
    SUBWAVE_UNROLL
    for (int delta = 1; delta < size; delta *= 2)
        sum = wave_add_below<size>(callers, sum, delta);
    return static_cast<T>(sum);
}
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan_before(lane_mask callers, Ladder ladder, T x, Op op)
{
    return wave_shift_one<block_of_v<Ladder>, true>(callers, fold_scan(callers, ladder, x, op),
                                                    site::current());
}

/* Sets, too, which may be many. A step costs a mask, a count of leading zeros, a shuffle and an op;
 * where the sibling is empty the count is -1, and what comes from lane 31 is not used. The first step,
 * whose sibling is one lane, need not count: only 16 lanes per cycle of a multiprocessor can. */
template <class Op, class T>
inline constexpr bool folds_reduce_v<Op, T, sets_or_blocks> = is_commutative_v<Op, T>;
template <class Op, class T> inline constexpr bool folds_scan_v<Op, T, sets_or_blocks> = true;

template <class T, class Op>
SUBWAVE_DEVICE T climb(lane_mask callers, lane_bits lanes, const std::uint32_t (&siblings)[5], T x,
                       Op op)
{
    SUBWAVE_UNROLL
    for (int step = 0; step < 5; ++step) {
        const lane_bits found = lanes & siblings[step];
        const T other = step == 0 ? wave_sibling(callers, x, 1, site::current())
                                  : wave_shuffle(callers, x, highest_lane(found), site::current());
        const T joined = op(other, x);
        x = found ? joined : x;
    }
    return x;
}
template <class T, class Op>
SUBWAVE_DEVICE T fold_reduce(lane_mask callers, sets_or_blocks ladder, T x, Op op)
{
    return climb(callers, ladder.lanes, ladder.siblings.of, x, op);
}
template <class T, class Op>
SUBWAVE_DEVICE T fold_scan(lane_mask callers, sets_or_blocks ladder, T x, Op op)
{
    return climb(callers, ladder.lanes, ladder.siblings.below, x, op);
}
template <class T, class Op>
SUBWAVE_DEVICE T fold_scan_before(lane_mask callers, sets_or_blocks ladder, T x, Op op)
{
    const lane_bits below = ladder.lanes & ((lane_bits(1) << wave_lane()) - 1);
    return wave_shuffle(callers, fold_scan(callers, ladder, x, op), highest_lane(below),
                        site::current());
}

SUBWAVE_END

#endif
